/*
 * The process table as tests see it: what still runs of what they started.
 *
 * A process belongs to a rig if its environment carries the rig's mark (owners, spawnd, shims, and commands that keep
 * their environment) or a lease id of its registry, or if it works in the rig's state directory (shims do). A command
 * that hides from all three is looked for by the test that starts it, by its own pid.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Clock } from '@clawdfather/kit';

export const markVariable = 'CLAWDFATHER_TEST_MARK';

export interface SeenProcess {
  readonly pid: number;
  readonly parentPid: number;
  readonly comm: string;
}

export interface Belonging {
  readonly mark: string;
  readonly leaseIds: ReadonlySet<string>;
  readonly stateDir: string;
}

export function processesOf(belonging: Belonging): readonly SeenProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      const seen = belongs(name, belonging) ? seeProcess(Number(name)) : undefined;
      return seen === undefined ? [] : [seen];
    });
}

/* Undefined for what is gone; a zombie is, whoever has to reap it may take its time. */
export function seeProcess(pid: number): SeenProcess | undefined {
  const stat = textOf(`/proc/${pid}/stat`);
  const close = stat.lastIndexOf(')');
  const [state = 'X', parentPid] = stat.slice(close + 2).split(' ');
  if (close < 0 || /^[ZX]/.test(state)) return undefined;
  return { pid, parentPid: Number(parentPid), comm: stat.slice(stat.indexOf('(') + 1, close) };
}

export function isAlive(pid: number): boolean {
  return seeProcess(pid) !== undefined;
}

export function isStopped(pid: number): boolean {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
}

function belongs(pid: string, { mark, leaseIds, stateDir }: Belonging): boolean {
  const environment = textOf(`/proc/${pid}/environ`).split('\0');
  return (
    environment.includes(`${markVariable}=${mark}`) ||
    environment.some((line) => leaseIds.has(line.replace('CLAWDFATHER_LEASE_ID=', ''))) ||
    workingDirOf(pid).startsWith(stateDir)
  );
}

function workingDirOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return ''; /* It is gone, or another user's. */
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; /* It is gone. */
  }
}

export interface Patience {
  readonly clock: Clock;
  readonly limitMs: number;
  readonly what: () => string;
}

/* For facts that nobody announces: a process that is gone, a file that is there. */
export async function untilTrue(
  isTrue: () => boolean,
  { clock, limitMs, what }: Patience,
): Promise<void> {
  const untilMs = clock.monotonicMs() + limitMs;
  while (!isTrue()) {
    assert.ok(clock.monotonicMs() < untilMs, what());
    await clock.sleep(5);
  }
}

/* The exit status of a program of the system, or undefined where there is none. */
export function statusOf(program: string, ...args: readonly string[]): number | undefined {
  return spawnSync(program, args, { stdio: 'ignore' }).status ?? undefined;
}

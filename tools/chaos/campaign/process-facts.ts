/*
 * Facts about processes from /proc. A process is named by pid and start time, so that a pid that was used again is
 * never taken for it.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface ProcessFacts {
  readonly pid: number;
  readonly startTicks: number;
  readonly parentPid: number;
  readonly name: string;
}

/* Undefined when there is no such process, or only its corpse. */
export function readProcess(pid: number): ProcessFacts | undefined {
  const text = readOrEmpty(`/proc/${pid}/stat`);
  const nameEnd = text.lastIndexOf(')');
  const fields = text.slice(nameEnd + 2).split(' ');
  if (nameEnd < 0 || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return {
    pid,
    startTicks: Number(fields[19]),
    parentPid: Number(fields[1]),
    name: text.slice(text.indexOf('(') + 1, nameEnd),
  };
}

export function isAlive({ pid, startTicks }: ProcessFacts): boolean {
  return readProcess(pid)?.startTicks === startTicks;
}

export function listProcesses(): readonly ProcessFacts[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((facts) => facts !== undefined);
}

/* The spawnd that this gateway has started, if it has. */
export function findSpawnd(gatewayPid: number): ProcessFacts | undefined {
  return listProcesses().find(
    ({ parentPid, name }) => parentPid === gatewayPid && name === 'clf-spawnd',
  );
}

/* Those that belong to the runs of a state directory: by environment for commands, by directory for shims. */
export function findProcessesOf(instanceId: string, stateDir: string): readonly ProcessFacts[] {
  const mark = `CLAWDFATHER_GATEWAY_INSTANCE_ID=${instanceId}`;
  return listProcesses().filter(({ pid }) => {
    const environment = readOrEmpty(`/proc/${pid}/environ`).split('\0');
    return environment.includes(mark) || linkOf(`/proc/${pid}/cwd`).startsWith(stateDir);
  });
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    /* It ended while we looked, or is not ours to look at. */
    return '';
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    /* As above. */
    return '';
  }
}

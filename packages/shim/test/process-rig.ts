/*
 * Real shims for tests: a state directory of their own, requests with sane
 * settings, and a log of events that can be waited for.
 *
 * When a test is over, everything it started is asked to end and must be gone:
 * shims by their pid, spawnd by its. CLAWDFATHER_SHIM_VARIANT picks the program,
 * so that the same tests run under the sanitizers.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Clock, createSystemClock } from '@clawdfather/kit';
import { shimVariants } from '../src/binary-names.ts';
import {
  type ControlLink,
  journalStart,
  openControl,
  openJournalReader,
  type RunEvent,
  scanJournal,
  shimBinaryPath,
  type SpawndLink,
  type SpawnRequest,
  startSpawnd,
} from '../src/index.ts';
import { collect, type Collected } from './journal-rig.ts';

export const clock: Clock = createSystemClock();
export const cookie = Buffer.from('0123456789abcdef');
export const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

const wanted = process.env['CLAWDFATHER_SHIM_VARIANT'];
export const binaryPath = shimBinaryPath(shimVariants.find((variant) => variant === wanted));

export interface EventLog {
  readonly events: readonly RunEvent[];
  readonly onEvent: (event: RunEvent) => void;
  /* The first event of this type, past or to come. */
  until<Type extends RunEvent['type']>(type: Type): Promise<Extract<RunEvent, { type: Type }>>;
  untilMatch(matches: (event: RunEvent) => boolean): Promise<RunEvent>;
}

export function createEventLog(): EventLog {
  const events: RunEvent[] = [];
  const waiters = new Set<() => void>();
  const untilMatch = (matches: (event: RunEvent) => boolean): Promise<RunEvent> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = events.find(matches);
        if (found === undefined) return;
        waiters.delete(look);
        resolve(found);
      };
      waiters.add(look);
      look();
    });
  return {
    events,
    onEvent: (event) => {
      events.push(event);
      for (const look of waiters) look();
    },
    untilMatch,
    until: async <Type extends RunEvent['type']>(type: Type) => {
      const found = await untilMatch((event) => event.type === type);
      return found as Extract<RunEvent, { type: Type }>;
    },
  };
}

export interface ProcessRig {
  readonly stateDir: string;
  /* A fresh run directory: the intent. */
  newRunDir(name?: string): string;
  request(argv: SpawnRequest['argv'], change?: Partial<SpawnRequest>): SpawnRequest;
  startSpawnd(): Promise<SpawndLink>;
  control(runDir: string): Promise<ControlLink>;
}

export function createProcessRig(context: TestContext): ProcessRig {
  const stateDir = mkdtempSync(join(tmpdir(), 'clf-shim-'));
  const runDirs: string[] = [];
  let count = 0;

  const newRunDir = (name = `run-${(count += 1)}`): string => {
    const runDir = join(stateDir, name);
    mkdirSync(runDir, { recursive: true, mode: 0o700 });
    runDirs.push(runDir);
    return runDir;
  };

  context.after(async () => {
    for (const runDir of runDirs) await endRun(runDir);
    rmSync(stateDir, { recursive: true, force: true });
  });

  return {
    stateDir,
    newRunDir,
    request: (argv, change = {}) => ({
      runDir: change.runDir ?? newRunDir(),
      runId: `r${count}`,
      cookie,
      meta: Buffer.from('{"test":true}'),
      epoch: 1,
      owner: { instance: 'test', generation: 1, pid: process.pid, startTicks: 0 },
      argv,
      env: { PATH: '/usr/bin:/bin' },
      cwd: '/',
      stdin: 'null',
      overallMs: 60_000,
      noOutputMs: undefined,
      graceMs: 2_000,
      killMs: 2_000,
      startMs: 10_000,
      ownerLoss: 'adopt',
      leaseMs: 1_000,
      leftovers: 'keep',
      journal: { mode: 'ring', bytesMax: 2 ** 32, segmentBytes: 2 ** 26 },
      ...change,
    }),
    startSpawnd: async () => {
      const link = await startSpawnd({ binaryPath, clock });
      context.after(async () => {
        link.close();
        await untilGone(link.hello.pid);
      });
      return link;
    },
    control: async (runDir) => {
      const control = await openControl(runDir, cookie, { clock });
      context.after(() => control.close());
      return control;
    },
  };
}

/* All of a run's journal, from a reader that checks every byte. */
export async function readAll(runDir: string, shimAlive = () => false): Promise<Collected> {
  await using reader = openJournalReader(runDir, { shimAlive });
  return await collect(reader, journalStart);
}

export async function untilGone(pid: number, limitMs = 10_000): Promise<void> {
  const untilMs = clock.monotonicMs() + limitMs;
  while (isAlive(pid)) {
    assert.ok(clock.monotonicMs() < untilMs, `process ${pid} is still there`);
    await clock.sleep(2);
  }
}

/* A zombie is dead; whoever has to reap it may take its time. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]$/.test(stat.slice(stat.lastIndexOf(')') + 2)[0] ?? '');
  } catch {
    return false;
  }
}

/* Terminates what may still run, through its own socket, and waits for the shim. */
async function endRun(runDir: string): Promise<void> {
  let control: ControlLink;
  try {
    control = await openControl(runDir, cookie, { clock, limitMs: 2_000 });
  } catch {
    return; /* No shim, or none that answers: its test knows why. */
  }
  const { epoch, shimPid } = control.hello;
  const command = { type: 'terminate', epoch, reason: 'manual-cancel', graceMs: 0 } as const;
  await control.request({ ...command, actor: 'test' }).catch(() => {});
  control.close();
  await untilGone(shimPid);
  assert.equal(scanJournal(runDir).end?.isFinal, true);
}

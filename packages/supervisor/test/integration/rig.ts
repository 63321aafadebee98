/*
 * Real supervisors over real processes, for tests.
 *
 * A rig is a state directory and a scratch directory of their own, supervisors in this process, and owners in
 * processes of their own that can be killed and stopped (owner-process.ts). Everything that a rig starts carries its
 * mark in the environment, or a lease id of its registry, so that the end of each test can look at the whole process
 * table and insist that nothing is left: no process, no descriptor, no file.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { createSystemClock, type Clock, type Log } from '@clawdfather/kit';
import { shimBinaryPath, shimVariants } from '@clawdfather/shim';
import {
  type ChildInput,
  createSupervisor,
  type ManagedRun,
  type OutputEvent,
  type PtyInput,
  type RunExit,
  type RunId,
  type Supervisor,
  type SupervisorDeps,
} from '@clawdfather/supervisor';
import { type EventLog, createEventLog } from './event-log.ts';
import { type OwnerOptions, type OwnerProcess, startOwner } from './owner-process.ts';
import {
  isAlive,
  markVariable,
  processesOf,
  type SeenProcess,
  untilTrue,
} from './process-table.ts';

export const clock: Clock = createSystemClock();
/* Longer than anything here takes on a loaded machine; only a hang meets it. */
export const patienceMs = 30_000;

const wantedVariant = shimVariants.find((name) => name === process.env['CLAWDFATHER_SHIM_VARIANT']);
export const binaryPath = shimBinaryPath(wantedVariant);

export interface Rig {
  readonly stateDir: string;
  /* For files that commands write. */
  readonly scratchDir: string;
  readonly mark: string;
  readonly events: EventLog;
  /* What its supervisors logged, by name. */
  readonly logged: readonly string[];
  supervisor(change?: Partial<SupervisorDeps>): Promise<Supervisor>;
  /* A supervisor in a process of its own. */
  owner(options?: OwnerOptions): Promise<OwnerProcess>;
  child(argv: ChildInput['argv'], change?: Partial<ChildInput>): ChildInput;
  sh(script: string, change?: RunChange): ChildInput;
  pty(command: string, change?: RunChange): PtyInput;
  /* Straight to the registry's file, as a crash or a clever person might. */
  sql(text: string, ...values: readonly SQLInputValue[]): readonly Record<string, unknown>[];
  /* What still runs of everything this rig has started. */
  processes(): readonly SeenProcess[];
  /* Resolves when nothing does. */
  untilQuiet(): Promise<void>;
  until(isTrue: () => boolean, what: string): Promise<void>;
  untilGone(pid: number): Promise<void>;
  untilThere(path: string): Promise<void>;
  touch(path: string): void;
}

/* What pipes and terminals have in common. */
export type RunChange = Partial<Omit<PtyInput, 'mode' | 'ptyCommand' | 'shell' | 'cols' | 'rows'>>;

export interface Transport {
  readonly name: string;
  readonly input: (rig: Rig, script: string, change?: RunChange) => ChildInput | PtyInput;
}

/* Both have one lifecycle, so what is promised is tested for both. */
export const transports: readonly Transport[] = [
  { name: 'pipes', input: (rig, script, change) => rig.sh(script, change) },
  { name: 'terminal', input: (rig, script, change) => rig.pty(script, change) },
];

let serial = 0;

export interface RigOptions {
  /* A place of its own when absent. */
  readonly stateDir?: string;
  /* When everything has ended and been removed, also if the test has failed. */
  readonly cleanUp?: () => void;
}

export function createRig(t: TestContext, options: RigOptions = {}): Rig {
  serial += 1;
  const stateDir = options.stateDir ?? mkdtempSync(join(tmpdir(), 'clf-state-'));
  const scratchDir = mkdtempSync(join(tmpdir(), 'clf-scratch-'));
  const mark = `${process.pid}-${serial}-${stateDir.slice(-6)}`;
  const events = createEventLog();
  const logged: string[] = [];
  const log = recordingLog(logged);
  const supervisors: Supervisor[] = [];
  const owners: OwnerProcess[] = [];
  const leaseIds = new Set<string>();
  const fdsBefore = openFds();

  const sql: Rig['sql'] = (text, ...values) => {
    using db = openDatabase(join(stateDir, 'registry.db'));
    return db.value.prepare(text).all(...values);
  };
  const processes = (): readonly SeenProcess[] => {
    if (existsSync(join(stateDir, 'registry.db'))) {
      for (const row of sql('SELECT lease_id FROM runs')) leaseIds.add(String(row['lease_id']));
    }
    return processesOf({ mark, leaseIds, stateDir });
  };
  const untilQuiet = (): Promise<void> =>
    untilTrue(() => processes().length === 0, {
      clock,
      limitMs: patienceMs,
      what: () => `these should have ended: ${JSON.stringify(processes())}`,
    });
  const supervisor: Rig['supervisor'] = async (change = {}) => {
    const made = await createSupervisor({
      stateDir,
      binaryPath,
      shimEnv: { [markVariable]: mark },
      observer: events.observer,
      log,
      ...change,
    });
    supervisors.push(made);
    return made;
  };

  t.after(async () => {
    try {
      for (const owner of owners) await owner.kill();
      for (const made of supervisors) await made.close();
      await leaveNothing({ processes, untilQuiet });
    } finally {
      rmSync(stateDir, { recursive: true, force: true });
      rmSync(scratchDir, { recursive: true, force: true });
      options.cleanUp?.();
    }
    await untilTrue(() => openFds() <= fdsBefore, {
      clock,
      limitMs: patienceMs,
      what: () => `${openFds()} descriptors are open, ${fdsBefore} were before`,
    });
  });

  const common = { cwd: scratchDir, sessionId: 'session', backendId: 'backend' };
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', [markVariable]: mark };
  const child: Rig['child'] = (argv, change = {}) => ({
    ...common,
    mode: 'child',
    argv,
    overallTimeoutMs: 60_000,
    ...change,
    env: { ...env, ...change.env },
  });

  return {
    stateDir,
    scratchDir,
    mark,
    events,
    logged,
    supervisor,
    owner: async (options = {}) => {
      const started = await startOwner({ stateDir, binaryPath, mark }, options);
      owners.push(started);
      return started;
    },
    child,
    sh: (script, change) => child(['sh', '-c', script], change),
    pty: (command, change = {}) => ({
      ...common,
      mode: 'pty',
      ptyCommand: command,
      overallTimeoutMs: 60_000,
      ...change,
      env: { ...env, ...change.env },
    }),
    sql,
    processes,
    untilQuiet,
    until: wait,
    untilGone: (pid) => wait(() => !isAlive(pid), `${pid} is still there`),
    untilThere: (path) => wait(() => existsSync(path), `${path} is not there`),
    touch: (path) => writeFileSync(path, ''),
  };
}

function recordingLog(names: string[]): Log {
  const note = (name: string): void => void names.push(name);
  const log: Log = { event: note, debug: note, warn: note, error: note, child: () => log };
  return log;
}

function wait(isTrue: () => boolean, what: string): Promise<void> {
  return untilTrue(isTrue, { clock, limitMs: patienceMs, what: () => what });
}

/* The test ended its runs, or they end now and the test has failed. */
async function leaveNothing({ processes, untilQuiet }: Pick<Rig, 'processes' | 'untilQuiet'>) {
  try {
    await untilQuiet();
  } catch (error) {
    for (const { pid } of processes()) killIfThere(pid);
    throw error;
  }
}

export function killIfThere(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    /* It ended by itself, which is what was wanted. */
  }
}

function openFds(): number {
  return readdirSync('/proc/self/fd').length;
}

function openDatabase(file: string): Disposable & { readonly value: DatabaseSync } {
  const value = new DatabaseSync(file, { timeout: 10_000 });
  return { value, [Symbol.dispose]: () => value.close() };
}

/* All output of one stream, as bytes. Ends with the run. */
export async function bytesOf(
  output: AsyncIterable<OutputEvent>,
  stream: 'stdout' | 'stderr' | 'both' = 'both',
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const event of output) {
    assert.ok(event.kind !== 'gap' && event.kind !== 'tail-lost', `output has a ${event.kind}`);
    if (event.kind !== 'output') continue;
    if (stream === 'both' || event.stream === stream) pieces.push(event.bytes);
  }
  return Buffer.concat(pieces);
}

export async function textOf(run: Pick<ManagedRun, 'output'>): Promise<string> {
  return (await bytesOf(run.output())).toString();
}

/* Reads until the text has been seen; resolves with all there was so far. */
export async function untilOutput(
  run: Pick<ManagedRun, 'output'>,
  wanted: string,
): Promise<string> {
  let text = '';
  const limit = new AbortController();
  const timer = clock.timer(patienceMs, () =>
    limit.abort(new Error(`${JSON.stringify(wanted)} did not come, only ${JSON.stringify(text)}`)),
  );
  try {
    for await (const event of run.output(undefined, limit.signal)) {
      if (event.kind === 'output') text += Buffer.from(event.bytes).toString('latin1');
      if (text.includes(wanted)) return text;
    }
  } finally {
    timer.cancel();
  }
  throw new Error(`${JSON.stringify(wanted)} did not come, only ${JSON.stringify(text)}`);
}

/* T5: what `wait` says is what the registry says. */
export function assertRecorded(supervisor: Supervisor, exit: RunExit): void {
  const record = supervisor.get(exit.runId);
  assert.equal(record?.state, 'exited');
  assert.deepEqual(record.exit, exit);
  assert.equal(record.leaseExpiresAtMs, 0, 'an exited run has no lease');
}

export function runIdOf(text: string): RunId {
  return text as RunId;
}

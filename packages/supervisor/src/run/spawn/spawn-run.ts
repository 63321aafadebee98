/*
 * Starting a run.
 *
 * Stages, in an order in which a crash at any point leaves something that reconciliation can judge (S1):
 *   1 the input is checked and planned                 (nothing written)
 *   2 the scope is made free, if asked                 (replace-scope.ts)
 *   3 the empty run directory is made: the intent      (alone it means nothing; gc clears it away)
 *   4 the record is committed as `starting`            (from here on the run exists)
 *   5 the launcher is asked                            (from here on a command may run)
 *   6 the shim reports, the registry commits `running` (then the caller gets its handle)
 * The directory comes before the record, so that a record without one says that nothing was started and nothing will
 * be. The other way round, an owner frozen between the two would wake up and start a run that another
 * process has recorded as stale meanwhile.
 * The same run id twice is one run: the second caller gets a handle on the first.
 */
import { mkdirSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { errnoOf, onAbort } from '@clawdfather/kit';
import { SupervisorError } from '../../errors.ts';
import { ownerIdentityOf, type SupervisorContext } from '../../context.ts';
import { diskRefusalOf } from '../../registry/disk-refusal.ts';
import { firstEpoch } from '../../registry/run-writes.ts';
import { startMs } from '../../limits.ts';
import type { SpawnInput } from '../../spawn-input.ts';
import type { ManagedRun, RunId } from '../../types.ts';
import type { LiveRun } from '../own/live-run.ts';
import type { OwnedRun } from '../own/live-runs.ts';
import { ownRun } from '../own/own-run.ts';
import { planSpawn, type SpawnPlan } from './plan-spawn.ts';
import { runDirOf, voidIntent } from '../records/run-files.ts';

export interface SpawnParts {
  readonly context: SupervisorContext;
  readonly freeScope: (input: SpawnInput) => Promise<void>;
  readonly handleOf: (owned: OwnedRun) => ManagedRun;
  readonly attach: (runId: RunId) => Promise<ManagedRun>;
  readonly watchStart: (owned: OwnedRun) => void;
}

export async function spawnRun(parts: SpawnParts, input: SpawnInput): Promise<ManagedRun> {
  const { context } = parts;
  input.signal?.throwIfAborted();
  const plan = planFor(context, input);
  const { runId } = plan.newRun;
  if (input.replaceExisting === true) await parts.freeScope(input);
  context.spawning.add(runId);
  try {
    if ((await recordStarting(context, plan)) === 'exists') return await parts.attach(runId);
  } finally {
    context.spawning.delete(runId);
  }
  context.observer.count({ name: 'run_spawn_total', labels: undefined, by: 1 });
  context.observer.event({ type: 'spawn', runId, sessionId: input.sessionId });

  const owned = take(context, plan);
  using _alive = owned.keepAlive.hold();
  const forgetAbort = cancelOnAbort(owned.run, input.signal);
  await launch(context, owned, plan);
  parts.watchStart(owned);
  await owned.run.started;
  if (owned.run.state.kind === 'exited') forgetAbort();
  else void owned.run.settled.then(forgetAbort, forgetAbort);
  throwIfNeverStarted(owned.run, context.stateDir.path);
  return parts.handleOf(owned);
}

function planFor(context: SupervisorContext, input: SpawnInput): SpawnPlan {
  const { random } = context;
  const ratesDir = join(context.stateDir.path, 'rates');
  // In a directory that is ours alone. Few runs have a rate, and it costs a system call.
  if (input.outputRate !== undefined) mkdirSync(ratesDir, { recursive: true, mode: 0o700 });
  const runId = (input.runId ?? random.id()) as RunId;
  return planSpawn(input, {
    runId,
    runDir: runDirOf(context.stateDir.runsDir, runId),
    ratesDir,
    cookie: random.bytes(16),
    leaseId: input.leaseId ?? `${random.id()}${random.id()}`,
    owner: ownerIdentityOf(context.owner()),
    nowMs: context.clock.wallMs(),
    cgroupParent: context.cgroupParent,
    umask: context.umask,
  });
}

/* Stages 3 and 4. A failed start leaves no directory, unless another process is starting the same run in it. */
async function recordStarting(
  context: SupervisorContext,
  { newRun, request: { runDir } }: SpawnPlan,
): Promise<'inserted' | 'exists'> {
  const { registry, stateDir } = context;
  const isMade = await context.makeIntent(runDir).catch((cause: unknown) => {
    throw diskRefusalOf(cause, stateDir.path) ?? noIntent(newRun.runId, cause);
  });
  const clearAway = (): void => {
    if (isMade && !isStartedByOthers(registry, newRun.runId)) voidIntent(runDir);
  };
  try {
    const owner = context.owner();
    const inserted = await registry.write((tx) => tx.insertStarting(newRun, owner));
    if (inserted === 'exists') clearAway();
    return inserted;
  } catch (error) {
    clearAway();
    throw diskRefusalOf(error, stateDir.path) ?? error;
  }
}

function isStartedByOthers(registry: SupervisorContext['registry'], runId: RunId): boolean {
  try {
    return (registry.get(runId)?.state ?? 'exited') !== 'exited';
  } catch {
    /* It cannot be known now, for instance from a closed registry. If no run needs the directory, gc clears it away. */
    return true;
  }
}

function noIntent(runId: RunId, cause: unknown): SupervisorError {
  return new SupervisorError('spawn-failed', `no directory for the run: ${messageOf(cause)}`, {
    cause,
    detail: { runId, stage: 'claim', errno: errnoOf(cause) ?? 'unknown' },
  });
}

function take(context: SupervisorContext, { newRun, request }: SpawnPlan): OwnedRun {
  const { runId, leftovers, leaseId } = newRun;
  const { runDir, cookie, argv, cwd, env } = request;
  const asked = { program: argv[0], cwd, path: env['PATH'] };
  const identity = { runId, runDir, cookie, epoch: firstEpoch, leaseId, leftovers, asked };
  return ownRun(context, identity, { kind: 'starting', leftovers, process: undefined });
}

/* A launch that could not even be asked for is a failed start; the record says so. */
async function launch(
  context: SupervisorContext,
  { run, keepAlive }: OwnedRun,
  plan: SpawnPlan,
): Promise<void> {
  const fail = (stage: string, error: unknown): void =>
    run.hear({
      type: 'spawn-error',
      stage,
      errno: 0,
      message: messageOf(error),
      endFollows: false,
    });
  if (run.state.kind !== 'starting') return; /* aborted meanwhile, and the intent voided */
  try {
    keepAlive.use(await context.launcher.launch(plan.request, (event) => run.hear(event)));
  } catch (error) {
    voidIntent(run.identity.runDir);
    fail('spawnd', error);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/* T5: an abort sends terminate; before the start it voids the intent. */
function cancelOnAbort(run: LiveRun, signal: AbortSignal | undefined): () => void {
  if (signal === undefined) return () => undefined;
  return onAbort(signal, () => run.cancel('manual-cancel', 'abort-signal'));
}

/* Where a shim makes its files. */
const diskStages: readonly (string | undefined)[] = ['claim', 'journal', 'socket'];

/* The shim passes the kernel's number on. */
function systemErrorOf(errno: number | undefined): Error {
  const [code] = Object.entries(constants.errno).find(([, number]) => number === errno) ?? [];
  return Object.assign(new Error(code ?? 'unknown'), { code });
}

/* A run that started and ended has a handle like any other; one that never started has only its reason. */
function throwIfNeverStarted(run: LiveRun, stateDir: string): void {
  const { state, identity, spawnError } = run;
  if (state.kind !== 'exited' || state.exit.startedAtMs !== undefined) return;
  const { reason, detail } = state.exit;
  if (reason !== 'spawn-error') {
    throw new SupervisorError(
      'spawn-cancelled',
      `run ${identity.runId} was cancelled before it started`,
      {
        detail: { runId: identity.runId, reason },
      },
    );
  }
  const isLate = spawnError?.stage === 'timeout';
  const isAboutDisk = diskStages.includes(spawnError?.stage);
  const refused = isAboutDisk
    ? diskRefusalOf(systemErrorOf(spawnError?.errno), stateDir)
    : undefined;
  if (refused !== undefined) throw refused;
  throw new SupervisorError(
    isLate ? 'start-timeout' : 'spawn-failed',
    isLate
      ? `the command did not start within ${startMs} ms`
      : `the command could not be started: ${detail ?? 'unknown'}`,
    {
      detail: {
        runId: identity.runId,
        stage: spawnError?.stage ?? 'unknown',
        errno: spawnError?.errno ?? 0,
      },
    },
  );
}

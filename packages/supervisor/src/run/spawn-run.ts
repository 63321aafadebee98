/*
 * Starting a run.
 *
 * Stages, in an order in which a crash at any point leaves something that reconciliation can judge (S1):
 *   1 the input is checked and planned                 (nothing written)
 *   2 the scope is made free, if asked                 (replace-scope.ts)
 *   3 the record is committed as `starting`, and the
 *     empty run directory, the intent, is made         (from here on the run exists)
 *   4 the launcher is asked                            (from here on a command may run)
 *   5 the shim reports, the registry commits `running` (then the caller gets its handle)
 * The two halves of stage 3 go side by side: alone, either is something that reconciliation or gc clears away.
 * The same run id twice is one run: the second caller gets a handle on the first.
 */
import { SupervisorError } from '../errors.ts';
import { ownerIdentityOf, type SupervisorContext } from '../context.ts';
import { firstEpoch } from '../registry/run-writes.ts';
import { startMs } from '../limits.ts';
import type { ManagedRun, RunId, SpawnInput } from '../types.ts';
import type { LiveRun } from './live-run.ts';
import type { OwnedRun } from './live-runs.ts';
import { ownRun } from './own-run.ts';
import { planSpawn, type SpawnPlan } from './plan-spawn.ts';
import { makeIntent, runDirOf, voidIntent } from './run-files.ts';

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
  const owner = context.owner();
  const intent = makeIntent(plan.request.runDir);
  intent.catch(() => undefined); /* heard below, if it matters */
  const inserted = await context.registry.write((tx) => tx.insertStarting(plan.newRun, owner));
  if (inserted === 'exists') return parts.attach(runId);
  context.observer.count({ name: 'run_spawn_total', labels: undefined, by: 1 });
  context.observer.event({ type: 'spawn', runId, sessionId: input.sessionId });

  const owned = take(context, plan);
  using _alive = owned.keepAlive.hold();
  const forgetAbort = cancelOnAbort(owned.run, input.signal);
  await launch(context, owned, { plan, intent });
  parts.watchStart(owned);
  await owned.run.started;
  if (owned.run.state.kind === 'exited') forgetAbort();
  else void owned.run.settled.then(forgetAbort, forgetAbort);
  throwIfNeverStarted(owned.run);
  return parts.handleOf(owned);
}

function planFor(context: SupervisorContext, input: SpawnInput): SpawnPlan {
  const { random } = context;
  const runId = (input.runId ?? random.id()) as RunId;
  return planSpawn(input, {
    runId,
    runDir: runDirOf(context.stateDir.runsDir, runId),
    cookie: random.bytes(16),
    leaseId: `${random.id()}${random.id()}`,
    owner: ownerIdentityOf(context.owner()),
    nowMs: context.clock.wallMs(),
    cgroupParent: context.cgroupParent,
  });
}

function take(context: SupervisorContext, { newRun, request }: SpawnPlan): OwnedRun {
  const { runId, leftovers, leaseId } = newRun;
  const { runDir, cookie } = request;
  const identity = { runId, runDir, cookie, epoch: firstEpoch, leaseId, leftovers };
  return ownRun(context, identity, { kind: 'starting', leftovers, process: undefined });
}

/* A launch that could not even be asked for is a failed start; the record says so. */
async function launch(
  context: SupervisorContext,
  { run, keepAlive }: OwnedRun,
  { plan, intent }: { readonly plan: SpawnPlan; readonly intent: Promise<void> },
): Promise<void> {
  const fail = (stage: string, error: unknown): void =>
    run.hear({
      type: 'spawn-error',
      stage,
      errno: 0,
      message: messageOf(error),
      endFollows: false,
    });
  try {
    await intent;
  } catch (error) {
    return fail('claim', error);
  }
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
  const onAbort = (): void => run.cancel('manual-cancel', 'abort-signal');
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
}

/* A run that started and ended has a handle like any other; one that never started has only its reason. */
function throwIfNeverStarted(run: LiveRun): void {
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

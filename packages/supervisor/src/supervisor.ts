/*
 * The supervisor: runs that outlive it, in one object.
 *
 * Stages of opening: the platform is known (S5) → the state directory is safe (O6) → the registry opens → this
 * process becomes an owner (O1) → what earlier owners left is reconciled. Closing lets go and touches no run:
 * stopping is no different from being killed (crash-only), only politer to the next owner.
 *
 * Several supervisors may share one state directory; each owns what it started or adopted.
 */
import { createScope } from '@clawdfather/kit';
import type { SupervisorContext } from './context.ts';
import { SupervisorError } from './errors.ts';
import { openContext } from './open-context.ts';
import { startLeaseKeeper } from './owner/lease-keeper.ts';
import { createOutputBeats } from './owner/output-beats.ts';
import { reconcileRuns, type ReconcileMode } from './reconcile/reconcile.ts';
import { finishRemovals } from './retention/finish-removals.ts';
import type { SupervisorDeps } from './supervisor-deps.ts';
import { createFace } from './supervisor-face.ts';
import type { Supervisor } from './types.ts';

export async function createSupervisor(deps: SupervisorDeps): Promise<Supervisor> {
  const scope = createScope();
  try {
    const context = await openContext(deps, scope);
    const mode = modeOf(deps, context);
    const reconcile = oneAtATime(() => reconcileRuns(context, mode));
    const keeper = startLeaseKeeper({
      registry: context.registry,
      clock: context.clock,
      owner: context.owner,
      onLost: async () => {
        context.observer.event({ type: 'lease-lost', generation: context.owner().generation });
        letGo(
          context,
          new SupervisorError('lease-lost', 'another owner has taken over from this process'),
        );
        await context.becomeOwner();
        await reconcile();
      },
      onBeat: createOutputBeats(context),
      onMissed: (error) => context.log.warn('lease.beat-missed', { error: String(error) }),
    });
    scope.defer(() => letGo(context, closedError()));
    scope.defer(() => releaseRuns(context));
    scope.defer(() => keeper.stop());
    // What was removed while nothing could be written; first, or it would be looked for.
    if (!context.registry.isCopy) await finishRemovals(context);
    await reconcile();
    return createFace(context, { close: async () => scope[Symbol.asyncDispose](), reconcile });
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    throw error;
  }
}

/* O3: an epoch that is not durable must not reach a shim, so who cannot write adopts nothing. */
function modeOf(deps: SupervisorDeps, { registry }: SupervisorContext): ReconcileMode {
  if (registry.isCopy) return 'record';
  return deps.adoption ?? (deps.launcher === 'direct' ? 'record' : 'adopt');
}

/* T9: those that would end with their owner are told that it has let go on purpose. */
async function releaseRuns({ live, registry, log }: SupervisorContext): Promise<void> {
  const released = [...live.values()].map(async ({ run }) => {
    const { runId } = run.identity;
    if (registry.get(runId)?.ownerLoss !== 'kill') return;
    await run.control.request({ type: 'release' }).catch((error: unknown) => {
      log.warn('run.release-failed', { runId, error: String(error) });
    });
  });
  await Promise.all(released);
}

/* Handles on our runs say why from now on; the runs go on, and may be attached to or adopted. */
function letGo(context: SupervisorContext, error: SupervisorError): void {
  for (const { run } of context.live.values()) run.lose(error);
}

function closedError(): SupervisorError {
  return new SupervisorError('supervisor-closed', 'the supervisor is closed');
}

/* Two at once would adopt the same run twice. */
function oneAtATime<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
}

/*
 * The handle on a run of ours: the live run's state behind the common face (managed-run.ts).
 */
import { actorOf, type SupervisorContext } from '../context.ts';
import { SupervisorError } from '../errors.ts';
import type { ManagedRun, RunRecord } from '../types.ts';
import type { OwnedRun } from './live-runs.ts';
import { createManagedRun } from './managed-run.ts';
import { sendDurably } from './outbox.ts';

export function ownedHandle(context: SupervisorContext, owned: OwnedRun): ManagedRun {
  const { run, keepAlive } = owned;
  const { runId, runDir, leftovers } = run.identity;
  /* Read once: the record may be collected while somebody still holds the handle. */
  const pid = run.pid ?? context.registry.get(runId)?.pid ?? 0;
  return createManagedRun({
    runId,
    pid: () => pid,
    control: run.control,
    keepAlive,
    source: {
      runDir,
      bootId: context.host.bootId,
      leftovers,
      news: run.news,
      isShimAlive: () => !run.isShimGone,
      inlined: () => run.inlined,
    },
    settled: run.settled,
    ending: run.ending,
    actor: actorOf(context.owner()),
    cancel: async (reason, actor) => run.cancel(reason, actor),
    writeDurably: (bytes) => sendDurably(context, owned, bytes),
    snapshot: () => snapshotOf(context, owned),
  });
}

function snapshotOf(context: SupervisorContext, { run }: OwnedRun): RunRecord {
  const { runId } = run.identity;
  const record = context.registry.get(runId);
  if (record === undefined) {
    throw new SupervisorError('run-not-found', `run ${runId} has been removed`, {
      detail: { runId },
    });
  }
  return record.lastOutputAtMs === undefined
    ? { ...record, lastOutputAtMs: run.lastOutputAtMs }
    : record;
}

/*
 * The handle on a run of ours: the live run's state behind the common face (managed-run.ts).
 */
import { actorOf, type SupervisorContext } from '../../context.ts';
import { SupervisorError } from '../../errors.ts';
import type { Cursor, ManagedRun, RunRecord } from '../../types.ts';
import type { OwnedRun } from '../own/live-runs.ts';
import { createManagedRun, type RunCore } from './managed-run.ts';
import { sendDurably } from '../input/outbox.ts';
import { treeGone } from '../wait/tree-gone.ts';

export function ownedHandle(
  context: SupervisorContext,
  owned: OwnedRun,
  start?: Cursor,
): ManagedRun {
  const { run, keepAlive } = owned;
  const { runId, runDir, leftovers } = run.identity;
  /* Read once: the record may be removed while the handle is still held. */
  const pid = run.pid ?? context.registry.get(runId)?.pid ?? 0;
  const core: RunCore = {
    runId,
    pid: () => pid,
    control: run.control,
    keepAlive,
    source: {
      runId,
      runDir,
      leftovers,
      news: run.news,
      isShimAlive: () => !run.isShimGone,
      writtenTo: () => run.writtenTo,
      inlined: () => run.inlined,
      lostBecause: () => run.lostBecause,
    },
    settled: run.settled,
    ending: run.ending,
    actor: actorOf(context.owner()),
    cancel: async ({ reason, actor, graceMs }) => run.cancel(reason, actor, graceMs),
    treeGone: () =>
      treeGone({
        news: run.news,
        isShimGone: () => run.isShimGone,
        lostBecause: () => run.lostBecause,
        treeEnd: () => (run.state.kind === 'exited' ? run.state.exit.treeEnd : undefined),
      }),
    writeDurably: (bytes) => sendDurably(context, owned, { bytes }),
    writeAt: (bytes, offset) => sendDurably(context, owned, { bytes, offset }),
    snapshot: () => snapshotOf(context, owned),
  };
  return createManagedRun(core, start);
}

function snapshotOf(context: SupervisorContext, { run }: OwnedRun): RunRecord {
  const { runId } = run.identity;
  const record = context.registry.get(runId);
  if (record === undefined) {
    throw new SupervisorError('run-not-found', `run ${runId} has been removed`, {
      detail: { runId },
    });
  }
  return { ...record, lastOutputAtMs: run.lastOutputAtMs() ?? record.lastOutputAtMs };
}

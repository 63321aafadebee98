/*
 * `gc`: which finished runs go and why, and then doing it. Every run is listed with the evidence for its decision, and
 * every removal is logged with it: output that is gone must be explained afterwards too.
 *
 * Also cleared: empty run directories without a record (clear-strays.ts).
 */
import type { SupervisorContext } from '../context.ts';
import { accountLabel, journalMaxLabel } from '../origins.ts';
import { diskRefusalOf } from '../registry/disk-refusal.ts';
import { runDirOf } from '../run/records/run-files.ts';
import type { RunRecord } from '../types.ts';
import { readJournalExtent } from '../use/journal-length.ts';
import { clearStrays, type Strays } from './clear-strays.ts';
import { finishRemovals, recordOfTrash } from './finish-removals.ts';
import {
  planRetention,
  type RetainedRun,
  type RetentionPlan,
  type RetentionPolicy,
} from './plan-retention.ts';
import { emptyTrash, removeRun } from './remove-runs.ts';

export interface GarbageOptions {
  /* Only say what would be done. */
  readonly dryRun?: boolean;
  /* Instead of the one that the supervisor was given. */
  readonly policy?: RetentionPolicy;
  readonly signal?: AbortSignal;
}

export interface GarbageReport extends RetentionPlan {
  /* Came back to life between plan and deed, and were left alone. */
  readonly spared: readonly string[];
  readonly strays: Strays;
}

export async function collectGarbage(
  context: SupervisorContext,
  { dryRun = false, policy = context.retention, signal }: GarbageOptions = {},
): Promise<GarbageReport> {
  const { registry, clock, stateDir } = context;
  if (!dryRun && !registry.isCopy) await finishRemovals(context);
  const finished = registry.finished();
  const runs = [
    ...registry
      .open()
      .filter(isLive)
      .map((run) => liveRun(run, stateDir.runsDir)),
    ...finished.map(finishedRun),
  ].map((run) => ({ ...run, isUnverifiable: context.unverifiable.has(run.runId) }));
  const plan = planRetention(runs, clock.wallMs(), policy);
  const known = new Set<string>(runs.map(({ runId }) => runId));
  const strays = await clearStrays({
    runsDir: stateDir.runsDir,
    isRecorded: (name) => known.has(name) || registry.get(name) !== undefined,
    nowMs: clock.wallMs(),
    dryRun,
  });
  if (dryRun) return { ...plan, spared: [], strays };
  const spared: string[] = [];
  const epochs = new Map(finished.map(({ runId, epoch }) => [runId, epoch]));
  for (const { runId, decision, why, evidence } of plan.decisions) {
    signal?.throwIfAborted();
    const epoch = epochs.get(runId);
    if (decision !== 'remove' || epoch === undefined) continue;
    const outcome = await removeRun(context, { runId, epoch }).catch((error: unknown) => {
      throw diskRefusalOf(error, stateDir.path) ?? error;
    });
    if (outcome === 'open') spared.push(runId);
    else context.log.event('run.removed', { runId, why, ...evidence });
  }
  const isRecorded = (name: string): boolean =>
    registry.isCopy || recordOfTrash(context, name) !== undefined;
  await emptyTrash({ trashDir: stateDir.trashDir, clock, isRecorded, signal });
  return { ...plan, spared, strays };
}

function isLive(record: RunRecord): boolean {
  return record.state !== 'exited';
}

function liveRun(record: RunRecord, runsDir: string): RetainedRun {
  return {
    runId: record.runId,
    state: 'live',
    isTreeGone: false,
    isUnverifiable: false,
    isRemoved: false,
    endedAtMs: undefined,
    journalBytes: livingBytes(record, runsDir),
    account: record.labels[accountLabel] ?? '',
  };
}

/*
 * What a living run holds is on no record. One whose account is bounded counts with all that it may keep: it can have grown to that
 * before the next look.
 */
function livingBytes({ runId, labels }: RunRecord, runsDir: string): number {
  const cap = labels[journalMaxLabel];
  if (cap !== undefined) return Number(cap);
  return readJournalExtent(runDirOf(runsDir, runId))?.diskBytes ?? 0;
}

function finishedRun(run: {
  readonly runId: RunRecord['runId'];
  readonly isTreeGone: boolean;
  readonly isRemoved: boolean;
  readonly endedAtMs: number;
  readonly journalBytes: number;
  readonly labels: RunRecord['labels'];
}): RetainedRun {
  const { labels, ...rest } = run;
  const account = labels[accountLabel] ?? '';
  return { ...rest, account, state: 'exited', isUnverifiable: false };
}

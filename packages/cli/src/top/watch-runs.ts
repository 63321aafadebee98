/*
 * What `clf top` shows, look by look: the runs that live with what they use, and those
 * that ended lately with their cause.
 *
 * A look is: the live records, the newest finished ones, one scan of the processes.
 * Nobody may own a run (its clf has left), and then nobody writes down its end; a
 * shim or a command that is missing from the scan makes us reconcile, which does.
 */
import type { Clock } from '@clawdfather/kit';
import type { RunRecord, Stall, Supervisor } from '@clawdfather/supervisor';
import type { JournalLengths } from './journal-length.ts';
import { type ProcessScan, ticksPerSecond } from './scan-processes.ts';
import { loadOfTree, type TreeLoad } from './tree-load.ts';

export interface LiveRow {
  readonly record: RunRecord;
  /* Undefined until there are two looks to compare. */
  readonly cpuPercent: number | undefined;
  readonly outputBytesPerSecond: number | undefined;
  /* Undefined when its processes cannot be seen. */
  readonly memoryBytes: number | undefined;
  readonly processes: number | undefined;
  /* Undefined while it goes on. */
  readonly stall: Stall | undefined;
}

export interface Look {
  readonly atMs: number;
  readonly live: readonly LiveRow[];
  /* The latest first. */
  readonly ended: readonly RunRecord[];
}

export interface WatchDeps {
  readonly supervisor: Pick<Supervisor, 'list' | 'get' | 'reconcile' | 'stalls'>;
  readonly clock: Clock;
  readonly scan: () => ProcessScan;
  readonly journals: JournalLengths;
  readonly pageBytes: number;
}

/* Longer ago is what `ps -a` is for. */
const latelyMs = 10 * 60_000;
const endedMax = 50;
/* Runs that begin and end between two looks are among the newest. */
const newestLookedAt = 30;
/* At the start: all that may still have leftovers, or ended within the last minutes. */
const finishedLookedAt = 1_000;
/* What could not be settled is tried again later and later: it asks all shims. */
const reconcilePauseMs = 5_000;
const reconcilePauseMsMax = 60_000;

interface Before {
  readonly atMs: number;
  readonly cpuTicks: number;
  readonly journalBytes: number | undefined;
}

export function createRunWatch(deps: WatchDeps): () => Promise<Look> {
  const { supervisor, clock } = deps;
  const before = new Map<string, Before>();
  /* What was alive at the last look; undefined before the first. */
  let known: Set<RunRecord['runId']> | undefined;
  let reconciledAtMs = Number.NEGATIVE_INFINITY;
  let pauseMs = reconcilePauseMs;
  const ended = new Map<RunRecord['runId'], RunRecord>();

  const listLive = (): RunRecord[] => {
    const states = ['starting', 'running', 'exiting'] as const;
    const running = supervisor.list({ states, limit: finishedLookedAt });
    const finished = supervisor.list({
      states: ['exited'],
      limit: known === undefined ? finishedLookedAt : newestLookedAt,
    });
    const listed = new Set([...running, ...finished].map(({ runId }) => runId));
    const gone = [...(known ?? [])].filter((runId) => !listed.has(runId));
    const others = gone.flatMap((runId) => supervisor.get(runId) ?? []);
    const over = [...finished, ...others].filter(({ state }) => state === 'exited');
    for (const record of over) if (record.exit !== undefined) ended.set(record.runId, record);
    // T4: the run is over, and something of it lives.
    return [...running, ...over.filter(({ treeEndedAtMs }) => treeEndedAtMs === undefined)];
  };

  const rowOf = (record: RunRecord, load: TreeLoad | undefined): Omit<LiveRow, 'stall'> => {
    const atMs = clock.monotonicMs();
    const journalBytes = deps.journals.of(record.runId);
    const last = before.get(record.runId);
    const seconds = last === undefined ? 0 : (atMs - last.atMs) / 1_000;
    if (load !== undefined) {
      before.set(record.runId, { atMs, cpuTicks: load.cpuTicks, journalBytes });
    }
    const perSecond = (now: number | undefined, then: number | undefined): number | undefined =>
      now === undefined || then === undefined || seconds <= 0
        ? undefined
        : Math.max(0, now - then) / seconds;
    const ticks = perSecond(load?.cpuTicks, last?.cpuTicks);
    return {
      record,
      cpuPercent: ticks === undefined ? undefined : (ticks * 100) / ticksPerSecond,
      outputBytesPerSecond: perSecond(journalBytes, last?.journalBytes),
      memoryBytes: load === undefined ? undefined : load.rssPages * deps.pageBytes,
      processes: load?.processes,
    };
  };

  return async () => {
    let scan = deps.scan();
    let records = listLive();
    const isPauseOver = clock.monotonicMs() - reconciledAtMs >= pauseMs;
    const isAnyMissing = (): boolean =>
      records.some((record) => isMissing(record, loadOfTree(scan, record)));
    if (isPauseOver && isAnyMissing()) {
      await supervisor.reconcile();
      reconciledAtMs = clock.monotonicMs();
      known = new Set(records.map(({ runId }) => runId));
      records = listLive();
      scan = deps.scan();
      pauseMs = isAnyMissing() ? Math.min(pauseMs * 2, reconcilePauseMsMax) : reconcilePauseMs;
    }
    const nowMs = clock.wallMs();
    const rows = records.map((record) => rowOf(record, loadOfTree(scan, record)));
    const live = await withStalls(supervisor, rows);
    known = new Set(records.map(({ runId }) => runId));
    for (const runId of before.keys()) {
      if (!known.has(runId as RunRecord['runId'])) before.delete(runId);
    }
    deps.journals.keepOnly(known);
    dropOld(ended, nowMs);
    return { atMs: nowMs, live, ended: latest(ended.values(), known) };
  };
}

function dropOld(ended: Map<RunRecord['runId'], RunRecord>, nowMs: number): void {
  for (const [runId, { exit, removedAtMs }] of ended) {
    const isOld = nowMs - (exit?.endedAtMs ?? 0) > latelyMs;
    if (isOld || removedAtMs !== undefined) ended.delete(runId);
  }
}

/* What still says something does not stand still, so its shim is not asked. */
async function withStalls(
  supervisor: Pick<Supervisor, 'stalls'>,
  rows: readonly Omit<LiveRow, 'stall'>[],
): Promise<readonly LiveRow[]> {
  const silent = rows.filter(({ outputBytesPerSecond = 0 }) => outputBytesPerSecond === 0);
  const stalls = await supervisor.stalls(silent.map(({ record }) => record));
  return rows.map((row) => ({ ...row, stall: stalls.get(row.record.runId) }));
}

function isMissing(record: RunRecord, load: TreeLoad | undefined): boolean {
  if (record.state === 'starting') return false;
  return load === undefined || (record.exit === undefined && !load.hasRoot);
}

function latest(
  records: Iterable<RunRecord>,
  alive: ReadonlySet<RunRecord['runId']>,
): readonly RunRecord[] {
  return [...records]
    .filter(({ runId }) => !alive.has(runId))
    .toSorted((left, right) => (right.exit?.endedAtMs ?? 0) - (left.exit?.endedAtMs ?? 0))
    .slice(0, endedMax);
}

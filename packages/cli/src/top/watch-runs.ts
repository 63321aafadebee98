/*
 * What `clf top` shows, look by look: the runs that live with what they use, and those
 * that ended lately with their cause.
 *
 * A look is a list of what lives, with what it uses, and of the newest that have ended. What is used per second is the
 * difference of two looks.
 */
import type { Clock } from '@clawdfather/kit';
import type { RunId, Stall } from '@clawdfather/supervisor';
import type { Place, Run } from '../place/place.ts';
import { isOnHost } from '../render/run-table.ts';

export interface LiveRow {
  readonly record: Run;
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
  readonly ended: readonly Run[];
  /* Why this is an earlier look; undefined for one of now. */
  readonly problem?: string;
}

export interface WatchDeps {
  readonly place: Pick<Place, 'list' | 'settle' | 'stalls'>;
  readonly clock: Clock;
}

/* Longer ago is what `ps -a` is for. */
const latelyMs = 10 * 60_000;
const endedMax = 50;
/* Runs that begin and end between two looks are among the newest. */
const newestLookedAt = 30;
/* At the start: all that may still have leftovers, or ended within the last minutes. */
const finishedLookedAt = 1_000;
const liveStates = ['starting', 'running', 'exiting'] as const;

export function createRunWatch({ place, clock }: WatchDeps): () => Promise<Look> {
  /* What was alive at the last look, with what it had used by then; undefined before the first. */
  let known: ReadonlyMap<RunId, Run> | undefined;
  const ended = new Map<RunId, Run>();

  const listLive = async (): Promise<readonly Run[]> => {
    const running = await place.list({
      states: liveStates,
      limit: finishedLookedAt,
      withUse: true,
    });
    const limit = known === undefined ? finishedLookedAt : newestLookedAt;
    const finished = await place.list({ states: ['exited'], limit, withUse: true });
    const listed = new Set([...running, ...finished].map(({ runId }) => runId));
    const gone = [...(known?.keys() ?? [])].filter((runId) => !listed.has(runId));
    const others: Run[] = [];
    for (const idPrefix of gone) {
      others.push(...(await place.list({ idPrefix, limit: 1, withUse: true })));
    }
    const over = [...finished, ...others].filter(({ state }) => state === 'exited');
    for (const run of over) if (run.exit !== undefined) ended.set(run.runId, run);
    return [
      // What waits for a decision uses nothing yet.
      ...running.filter(({ state }) => state !== 'held'),
      // T4: the run is over, and something of it lives.
      ...over.filter(({ treeEndedAtMs }) => treeEndedAtMs === undefined),
    ];
  };

  return async () => {
    const before = known;
    let runs = await listLive();
    if (await place.settle(runs)) {
      known = new Map(runs.map((run) => [run.runId, run]));
      runs = await listLive();
    }
    const nowMs = clock.wallMs();
    const rows = runs.map((run) => rowOf(run, before?.get(run.runId)));
    const live = await withStalls(place, rows);
    known = new Map(runs.map((run) => [run.runId, run]));
    dropOld(ended, nowMs);
    return { atMs: nowMs, live, ended: latest(ended.values(), known) };
  };
}

function rowOf(record: Run, last: Run | undefined): Omit<LiveRow, 'stall'> {
  const { use } = record;
  const isMeasured = !isOnHost(record);
  const then = last?.use;
  const seconds = ((use?.atMs ?? 0) - (then?.atMs ?? 0)) / 1_000;
  const perSecond = (after: number | undefined, first: number | undefined): number | undefined =>
    after === undefined || first === undefined || seconds <= 0
      ? undefined
      : Math.max(0, after - first) / seconds;
  const cpuMsPerSecond = perSecond(use?.cpuMs, then?.cpuMs);
  return {
    record,
    cpuPercent: cpuMsPerSecond === undefined || !isMeasured ? undefined : cpuMsPerSecond / 10,
    outputBytesPerSecond: perSecond(use?.outputBytes, then?.outputBytes),
    memoryBytes: isMeasured ? use?.memoryBytes : undefined,
    processes: isMeasured ? use?.processes : undefined,
  };
}

function dropOld(ended: Map<RunId, Run>, nowMs: number): void {
  for (const [runId, { exit }] of ended) {
    if (nowMs - (exit?.endedAtMs ?? 0) > latelyMs) ended.delete(runId);
  }
}

/* What still says something does not stand still, so its shim is not asked. */
async function withStalls(
  place: Pick<Place, 'stalls'>,
  rows: readonly Omit<LiveRow, 'stall'>[],
): Promise<readonly LiveRow[]> {
  const silent = rows.filter(({ outputBytesPerSecond = 0 }) => outputBytesPerSecond === 0);
  const stalls = await place.stalls(silent.map(({ record }) => record));
  return rows.map((row) => ({ ...row, stall: stalls.get(row.record.runId) }));
}

function latest(runs: Iterable<Run>, alive: ReadonlyMap<RunId, unknown>): readonly Run[] {
  return [...runs]
    .filter(({ runId }) => !alive.has(runId))
    .toSorted((left, right) => (right.exit?.endedAtMs ?? 0) - (left.exit?.endedAtMs ?? 0))
    .slice(0, endedMax);
}

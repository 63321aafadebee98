/*
 * Live output of all runs: one feed for each run that has readers, and those readers.
 */
import type { Clock } from '@clawdfather/kit';
import { type Cursor, type ManagedRun, outputStart, type RunId } from '@clawdfather/supervisor';
import { readersAtOnceMax } from './limits.ts';
import { LiveFeed } from './live-feed.ts';
import { LiveReader, type Sink } from './live-reader.ts';
import { otherTurns } from './other-turns.ts';
import { createRoomPool } from './room-pool.ts';
import { createTurns } from './turns.ts';

export interface Following {
  /* The sink takes more again. */
  drained(): void;
  /* Nothing is sent any more. */
  close(): void;
}

export interface LiveCounts {
  /* Runs that are read. */
  readonly runs: number;
  readonly readers: number;
  /* Of them, those that are not up with the run. */
  readonly readersBehind: number;
}

export interface LiveHub {
  /* The sink may be called before this returns. */
  follow(run: ManagedRun, from: Cursor | undefined, sink: Sink): Following;
  counts(): LiveCounts;
  close(): void;
}

/* `pace`: resolves when the next piece of a run's output may be sent. */
export function createLiveHub(
  clock: Clock,
  pace: (run: ManagedRun) => Promise<void> = otherTurns,
): LiveHub {
  const feeds = new Map<RunId, LiveFeed>();
  const readers = new Set<LiveReader>();
  const turns = createTurns(readersAtOnceMax);
  const pool = createRoomPool();

  const open = (run: ManagedRun, cursor: Cursor): LiveFeed => {
    const feed = new LiveFeed({
      run,
      from: cursor,
      pool,
      clock,
      pace: () => pace(run),
      onDeserted: () => {
        if (feeds.get(run.runId) === feed) feeds.delete(run.runId);
      },
    });
    feeds.set(run.runId, feed);
    feed.start();
    return feed;
  };

  return {
    follow: (run, from = outputStart, sink) => {
      const reader = new LiveReader({
        run,
        from,
        sink,
        pool,
        clock,
        pace: () => pace(run),
        feed: () => feeds.get(run.runId),
        openFeed: (cursor) => open(run, cursor),
        turns,
        onDone: () => void readers.delete(reader),
      });
      readers.add(reader);
      reader.start();
      return reader;
    },
    counts: () => {
      let readersBehind = 0;
      for (const { state } of readers)
        if (state === 'behind' || state === 'reading') readersBehind += 1;
      return { runs: feeds.size, readers: readers.size, readersBehind };
    },
    close: () => {
      for (const reader of readers) reader.close();
    },
  };
}

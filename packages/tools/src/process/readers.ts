/*
 * What is remembered about readers: how far each has acknowledged, and how often it asked in vain.
 *
 * Memory only, and bounded: a reader that hands its cursor back needs none of it, also after a restart. A reader
 * without a cursor that is forgotten sees output again; it never misses any.
 */
import { processLimits } from '@clawdfather/protocol';
import type { Cursor } from '@clawdfather/supervisor';

export interface Readers {
  /* The caller handed this cursor back: all before it is acknowledged. */
  acknowledge(reader: string, cursor: Cursor): void;
  acknowledged(reader: string): Cursor | undefined;
  /* How long to wait before asking again: longer each time nothing happened. */
  retryInMs(reader: string): number;
  /* Something happened: the pauses start over. */
  heard(reader: string): void;
}

/* A reader is a session and a run; this is more than are followed at once. */
const readersMax = 10_000;

interface Reader {
  cursor: Cursor | undefined;
  asksInVain: number;
}

export function createReaders(): Readers {
  const known = new Map<string, Reader>();
  const readerOf = (name: string): Reader => {
    const found = known.get(name) ?? { cursor: undefined, asksInVain: 0 };
    /* The one that was used last is the last to be forgotten. */
    known.delete(name);
    known.set(name, found);
    for (const [oldest] of known) {
      if (known.size <= readersMax) break;
      known.delete(oldest);
    }
    return found;
  };
  return {
    acknowledge: (name, cursor) => {
      readerOf(name).cursor = cursor;
    },
    acknowledged: (name) => known.get(name)?.cursor,
    retryInMs: (name) => {
      const reader = readerOf(name);
      const pauses = processLimits.retryInMs;
      const pause = pauses[Math.min(reader.asksInVain, pauses.length - 1)] ?? 60_000;
      reader.asksInVain += 1;
      return pause;
    },
    heard: (name) => {
      const reader = known.get(name);
      if (reader !== undefined) reader.asksInVain = 0;
    },
  };
}

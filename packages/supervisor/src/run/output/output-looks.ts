/*
 * Where the output of runs ends, for lists and for the end of a long output. Each journal is stepped over once, and from there on what was
 * written since (last-output.ts of shim): a list of a hundred runs is asked for every few seconds.
 */
import { hasCode, makeRoom } from '@clawdfather/kit';
import {
  formatCursor,
  lookInSteps,
  noOutputLook,
  type OutputLook,
  tailRange,
} from '@clawdfather/shim';
import type { Cursor, RunId, RunRecord } from '../../types.ts';
import { millisecondsOf } from './output-clock.ts';

export interface OutputTail {
  readonly start: Cursor;
  /** After the last byte of it. It moves when more is said, and by nothing else. */
  readonly end: Cursor;
  readonly atMs: number;
}

/** In pieces of some milliseconds; resolves when the next one may be done. Default: at once. */
export type Breathe = () => Promise<void>;

export interface OutputLooks {
  tailOf(runDir: string, record: RunRecord, breathe?: Breathe): Promise<OutputTail | undefined>;
}

/* A few lines, or a long one with colours. */
export const outputTailBytes = 1_024;
/* Several people with a page of 100 each: in order, so that with less room than a page none would be found again. 20 kB each at most. */
const looksMax = 512;

export function createOutputLooks(): OutputLooks {
  const looks = new Map<RunId, OutputLook>();
  const look = async (runDir: string, runId: RunId, breathe?: Breathe): Promise<OutputLook> => {
    const before = looks.get(runId) ?? noOutputLook;
    const steps = lookInSteps(runDir, before, outputTailBytes);
    for (;;) {
      const step = steps.next();
      if (step.done !== true) {
        await breathe?.();
        continue;
      }
      // The one that was asked for last goes to the end.
      looks.delete(runId);
      makeRoom(looks, looksMax);
      looks.set(runId, step.value);
      return step.value;
    }
  };
  return {
    tailOf: async (runDir, { runId, exit }, breathe) => {
      try {
        const { tail, lastOutputUs = 0 } = await look(runDir, runId, breathe);
        const range = tailRange(tail, outputTailBytes);
        if (range === undefined) return undefined;
        const start = formatCursor(range.start) as Cursor;
        const end = formatCursor(range.end) as Cursor;
        return { start, end, atMs: millisecondsOf(lastOutputUs) };
      } catch (error) {
        // It failed before it had a journal.
        if (exit !== undefined && hasCode(error, 'journal-missing')) return undefined;
        throw error;
      }
    },
  };
}

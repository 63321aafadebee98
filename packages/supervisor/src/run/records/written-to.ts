/*
 * How long a run's journal is at least, from what is known without looking at it: what its files lack up to there is missing (J1).
 */
import { parseCursor } from '@clawdfather/shim';
import type { RunExit, RunRecord } from '../../types.ts';

/* A run that was started has a journal, however little is known of it. */
const leastBytes = 1;

type Recorded = Pick<RunRecord, 'exit' | 'journalBytes' | 'startedAtMs'>;

export function writtenToOf({ exit, journalBytes = 0, startedAtMs }: Recorded): number {
  const least = startedAtMs === undefined ? 0 : leastBytes;
  return Math.max(least, journalBytes, exit === undefined ? 0 : exitOffset(exit));
}

/* Where the journal ended when the exit was told; 0 when no record tells. */
export function exitOffset(exit: RunExit): number {
  return parseCursor(exit.cursor).offset;
}

/*
 * The least length that a run's journal must have, from its record alone. If its files are shorter, output is missing (J1).
 */
import { parseCursor } from '@clawdfather/shim';
import type { RunExit } from '../../run-end.ts';
import type { RunRecord } from '../../types.ts';

/* A run that was started has a journal, even if nothing is known of its length. */
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

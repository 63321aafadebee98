/*
 * Why a run stands still, and until when, in a sentence (J3, J4).
 */
import { assertNever } from '@clawdfather/kit';
import type { Stall } from '@clawdfather/supervisor';
import type { Run } from '../place/place.ts';
import { formatBytes } from './bytes.ts';

/* Of the shim (FREE_SPACE_FLOOR_BYTES): no run needs more than this to be free. */
const floorBytesMax = 256 * 1024 * 1024;

export function explainStall({ use }: Pick<Run, 'use'>, stall: Stall): string {
  if (use?.processes === 0) return 'its command has ended; what it said last waits for room';
  switch (stall) {
    case 'disk-full':
      return waitsForRoom(use?.diskBytes ?? 0);
    case 'disk-failing':
      return 'for the disk, which refuses its output; the kernel log (dmesg) may tell why';
    case 'not-consumed':
      return 'for its reader to read what it said';
    default:
      return assertNever(stall);
  }
}

/* The largest runs stop first, while others still find room. */
function waitsForRoom(ownBytes: number): string {
  if (ownBytes === 0) return 'for room on its disk';
  const isMost = ownBytes >= floorBytesMax;
  const why = isMost ? 'which is the most that a run needs' : 'as much as its own output takes';
  return `for room: ${formatBytes(Math.min(ownBytes, floorBytesMax))} must be free on its disk, ${why}`;
}

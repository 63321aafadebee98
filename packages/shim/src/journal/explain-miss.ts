/*
 * Why there is no whole frame at a position: damage, a lost tail, the end, or it is not written yet.
 *
 * Stages, the first that applies decides:
 *   1. Bytes that are no frame: reading goes on after them, where frames begin again in the same segment.
 *   2. A later segment: the shim has left this one for good, so what is not here will never be.
 *   3. A dead shim: the journal ends here, with its end or without.
 *   4. A living shim that has told of more than its files hold: that is missing.
 */
import { afterDamage, isInsideFrame } from './after-damage.ts';
import type { ChunkPool } from './chunk-pool.ts';
import type { JournalPosition } from './cursor.ts';
import type { JournalEnd } from './journal-end.ts';
import { damage, type JournalRead, positionOf } from './journal-read.ts';
import { invalidCursor, type NothingWhole } from './read-segment.ts';
import type { Found, SegmentFinder } from './segment-finder.ts';

/* What is known of the journal beside its files, asked for before the last look at them (R2). */
export interface Known {
  readonly isDead: boolean;
  /* The next segment after the position. */
  readonly later: number | undefined;
  readonly writtenTo: number;
}

export interface Miss {
  readonly at: JournalPosition;
  readonly found: Exclude<Found, { kind: 'gone' }>;
  readonly outcome: NothingWhole;
}

export interface MissDeps {
  readonly end: JournalEnd;
  readonly pool: ChunkPool;
  readonly finder: Pick<SegmentFinder, 'leave'>;
}

export async function explainMiss(
  { at, found, outcome }: Miss,
  { isDead, later, writtenTo }: Known,
  { end, pool, finder }: MissDeps,
): Promise<JournalRead> {
  const { tornBytes, isDamaged } = outcome;
  if (found.kind === 'segment' && isDamaged) {
    if (!end.hasReached(at) && isInsideFrame(found, at.offset)) throw invalidCursor();
    const to = await afterDamage(found, at, pool);
    if (to !== undefined) return damage(at, to);
  }
  if (tornBytes > 0 && finder.leave(at.offset)) {
    /* Something was put between two segments: the next one begins here. */
    return { kind: 'damaged', from: at, to: at, bytes: tornBytes };
  }
  if (later !== undefined) return damage(at, positionOf(later));
  if (isDead) {
    const missedBytes = Math.max(0, writtenTo - at.offset);
    return end.lose({ kind: 'tail-lost', at, tornBytes, missedBytes }, found);
  }
  /* A frame that is on its way is counted before it is whole; its bytes are there. */
  const fileEnd = found.kind === 'segment' ? found.segment.base + found.bytes : 0;
  const isMissing = isDamaged || fileEnd < writtenTo;
  if (isMissing && writtenTo > at.offset) return damage(at, positionOf(writtenTo));
  return notYet(at, outcome);
}

export function notYet(at: JournalPosition, { isDamaged, tornBytes }: NothingWhole): JournalRead {
  return { kind: 'nothing', at, damagedBytes: isDamaged ? tornBytes : 0 };
}

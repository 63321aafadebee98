/*
 * A page of a thread, from its newest event backwards, as many events as fit.
 *
 * Events are read in small lots, newest first. A lot is joined to the blocks of those after it, and the page is compressed to see whether
 * it still fits. Of the lot that does not fit, as many events are taken as do. So the page is as full as it can be, and what is read is
 * bounded by it: neither the length of the thread nor the size of an event makes a difference.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ThreadHistory } from '@clawdfather/agents';
import {
  type Block,
  joinBlocks,
  mergeBlocks,
  missingSeqs,
  type SeqRange,
  type ShownEvent,
} from '@clawdfather/protocol/history';
import { shownEvent } from './show-events.ts';

/* Of the blocks; the rest of the answer has some hundred bytes. */
export const pageBytesMax = 62_000;
/* Before it is compressed: what compresses well is still to be parsed and shown by a phone. */
const plainBytesMax = 512 * 1024;
/* What is read for one page: of a tool with a thousand updates only the newest is shown. */
const readBytesMax = 4 * 1024 * 1024;
const lotEvents = 100;

export interface PageRange {
  readonly threadId: string;
  /* Below this number. */
  readonly before: number;
  /* In events. */
  readonly limit: number;
}

export interface Page {
  readonly blocks: readonly Block[];
  readonly firstSeq: number | undefined;
  readonly lastSeq: number | undefined;
  readonly hasMore: boolean;
  readonly gaps: readonly SeqRange[];
}

export async function buildPage(
  history: Pick<ThreadHistory, 'before'>,
  { threadId, before, limit }: PageRange,
): Promise<Page> {
  let blocks: readonly Block[] = [];
  const seqs: number[] = [];
  let readBytes = 0;
  for (;;) {
    const wanted = Math.min(lotEvents, limit - seqs.length);
    const isFull = wanted === 0 || readBytes >= readBytesMax;
    const below = seqs.at(-1) ?? before;
    if (isFull) return { blocks, ...rangeOf(seqs, before, true) };
    const lot = await history.before(threadId, { before: below, limit: wanted });
    const events = lot.map(shownEvent);
    const { taken, joined } = await takeFitting(blocks, events);
    blocks = joined;
    seqs.push(...events.slice(0, taken).map(({ seq }) => seq));
    readBytes += lot.reduce((sum, { payload }) => sum + JSON.stringify(payload).length, 0);
    if (taken < events.length) return { blocks, ...rangeOf(seqs, before, true) };
    if (lot.length < wanted) return { blocks, ...rangeOf(seqs, before, false) };
  }
}

/* How many of the newest of these fit before the blocks. A page is never empty: one event always fits, because it was cut. */
async function takeFitting(
  blocks: readonly Block[],
  newestFirst: readonly ShownEvent[],
): Promise<{ readonly taken: number; readonly joined: readonly Block[] }> {
  const join = (count: number): readonly Block[] =>
    mergeBlocks(joinBlocks([], newestFirst.slice(0, count).toReversed()), blocks);
  const all = join(newestFirst.length);
  if (await fits(all)) return { taken: newestFirst.length, joined: all };
  let least = blocks.length === 0 ? 1 : 0;
  let most = newestFirst.length - 1;
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (await fits(join(middle))) least = middle;
    else most = middle - 1;
  }
  return { taken: least, joined: join(least) };
}

const gzipAside = promisify(gzip);

async function fits(blocks: readonly Block[]): Promise<boolean> {
  const plain = Buffer.from(JSON.stringify(blocks));
  if (plain.length <= pageBytesMax) return true;
  if (plain.length > plainBytesMax) return false;
  return (await gzipAside(plain)).length <= pageBytesMax;
}

function rangeOf(seqs: readonly number[], before: number, mayHaveMore: boolean) {
  const firstSeq = seqs.at(-1);
  const lastSeq = seqs[0];
  // Without older ones it goes down to 1; what is missing below the first is told with it.
  const since = mayHaveMore && firstSeq !== undefined ? firstSeq - 1 : 0;
  const gaps = missingSeqs(seqs, { since, last: before - 1 });
  return { firstSeq, lastSeq, hasMore: since > 0, gaps };
}

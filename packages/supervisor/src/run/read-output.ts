/*
 * A run's output as an async iterable over its journal (idea 1): live view and replay are the same read.
 *
 * It ends after settlement and never hands anything out later: at the `end` record, or under `keep` at the root's
 * `exit` when reading began before it. A reader that abandons the loop holds nothing afterwards.
 */
import {
  type DoorbellAnswer,
  formatCursor,
  type JournalFrame,
  type JournalPosition,
  type JournalRead,
  type JournalReader,
  openJournalReader,
  parseCursor,
  parseFrameRecord,
  positionAfter,
} from '@clawdfather/shim';
import type { Cursor, LeftoversPolicy, OutputEvent } from '../types.ts';
import type { KeepAlive } from './keep-alive.ts';
import type { News } from './news.ts';

export interface OutputSource {
  readonly runDir: string;
  readonly bootId: string;
  readonly leftovers: LeftoversPolicy;
  readonly news: News;
  /* False only on evidence (O5). */
  readonly isShimAlive: () => boolean;
  /* The journal as END brought it. */
  readonly inlined: () => Buffer | undefined;
  /* Why no more news will come here although the run may go on: it was taken from us, or we are closing. */
  readonly lostBecause: () => Error | undefined;
}

export interface ReadingOptions {
  readonly signal?: AbortSignal | undefined;
  /* False: what is there now, to the last byte, whatever was settled in between. */
  readonly isFollowing: boolean;
  /* True: bytes are the caller's until it asks for the next event, then their memory is used again. */
  readonly isLent?: boolean;
  /* Held from the first event that is asked for until the reader leaves. */
  readonly keepAlive: Pick<KeepAlive, 'hold'>;
}

export const outputStart = '0.0' as Cursor;

export async function* readOutput(
  source: OutputSource,
  cursor: Cursor,
  { signal, isFollowing, isLent, keepAlive }: ReadingOptions,
): AsyncGenerator<OutputEvent, void, undefined> {
  using _alive = keepAlive.hold();
  await using reader = openReader(source);
  let at = parseCursor(cursor);
  for (;;) {
    signal?.throwIfAborted();
    const { count: seen, bell } = source.news;
    const told = isFollowing && bell !== undefined ? readBell(reader, at, bell) : undefined;
    const read = told ?? (await reader.read(at));
    if (read.kind === 'nothing') {
      if (!isFollowing) return;
      const lostBecause = source.lostBecause();
      if (lostBecause !== undefined) throw lostBecause;
      await source.news.changed(seen, signal);
      continue;
    }
    if (read.kind === 'closed') return;
    if (read.kind === 'tail-lost') {
      yield { kind: 'tail-lost', cursor: asCursor(read.at) };
      return;
    }
    if (read.kind === 'gap') {
      const missedBytes = read.to.offset - read.from.offset;
      yield { kind: 'gap', missedBytes, cursor: asCursor(read.to) };
      at = read.to;
      continue;
    }
    for (const frame of read.frames) {
      const event = eventOf(frame);
      if (event !== undefined) yield event;
      else if (isFollowing && isSettlement(frame, source.leftovers)) return;
    }
    if (isLent === true) read.release();
    at = read.next;
  }
}

/*
 * What the doorbell itself says about this position: nothing is there, or these few frames. Looking into the file as well
 * would cost a key's echo a third of its time.
 */
function readBell(
  reader: JournalReader,
  at: JournalPosition,
  { journalLength, tail }: DoorbellAnswer,
): JournalRead | undefined {
  if (at.payloadOffset > 0) return undefined;
  if (at.offset >= journalLength) return { kind: 'nothing', at };
  const isTail = tail !== undefined && at.offset === journalLength - tail.length;
  return isTail ? reader.readTold(at, tail) : undefined;
}

function openReader(source: OutputSource): JournalReader {
  return openJournalReader(source.runDir, {
    shimAlive: source.isShimAlive,
    bootId: source.bootId,
    inlined: source.inlined(),
  });
}

function isSettlement(frame: JournalFrame, leftovers: LeftoversPolicy): boolean {
  return frame.kind === 'end' || (frame.kind === 'exit' && leftovers === 'keep');
}

function eventOf(frame: JournalFrame): OutputEvent | undefined {
  const cursor = asCursor(positionAfter(frame));
  if (frame.kind === 'output') {
    const stream = frame.stream === 'stderr' ? 'stderr' : 'stdout';
    const atMs = Math.floor(frame.timeUs / 1000);
    return { kind: 'output', stream, bytes: frame.payload, atMs, cursor };
  }
  if (frame.kind !== 'resize' && frame.kind !== 'note') return undefined;
  const record = parseFrameRecord(frame);
  if (record?.kind === 'resize') {
    return { kind: 'resize', cols: record.cols, rows: record.rows, cursor };
  }
  if (record?.kind === 'note' && record.note === 'attached') {
    const { value = 0, left = 0 } = record.fields;
    const leaving = left === 0 ? {} : { left: Number(left) };
    return { kind: 'attached', terminals: Number(value), ...leaving, cursor };
  }
  return undefined;
}

function asCursor(position: JournalPosition): Cursor {
  return formatCursor(position) as Cursor;
}

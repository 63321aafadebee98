/*
 * A run's output as an async iterable over its journal (idea 1): live view and replay are the same read.
 *
 * It ends after settlement and never hands anything out later: at the `end` record, or under `keep` at the root's
 * `exit` when reading began before it. A journal that was cut, deleted or altered is told as such, and never ends as if it were
 * whole (J1). A reader that abandons the loop holds nothing afterwards.
 */
import { hasCode } from '@clawdfather/kit';
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
import type { AcceptedEvent, Cursor, LeftoversPolicy, OutputEvent, RunId } from '../../types.ts';
import type { KeepAlive } from '../wait/keep-alive.ts';
import type { News } from '../wait/news.ts';

export interface OutputSource {
  readonly runId: RunId;
  readonly runDir: string;
  readonly leftovers: LeftoversPolicy;
  readonly news: News;
  /* False only on evidence (O5). */
  readonly isShimAlive: () => boolean;
  /* How long the journal is at least. */
  readonly writtenTo: () => number;
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

/* With what was accepted of the input. */
export function readTranscript(
  source: OutputSource,
  cursor: Cursor,
  options: Omit<ReadingOptions, 'isFollowing' | 'isLent'>,
): AsyncGenerator<OutputEvent | AcceptedEvent, void, undefined> {
  const toEvent = (frame: JournalFrame) => acceptedOf(frame) ?? eventOf(frame);
  return readFrames(source, cursor, { ...options, isFollowing: true, toEvent });
}

export function readOutput(
  source: OutputSource,
  cursor: Cursor,
  options: ReadingOptions,
): AsyncGenerator<OutputEvent, void, undefined> {
  return readFrames(source, cursor, { ...options, toEvent: eventOf });
}

interface Telling<Told> extends ReadingOptions {
  readonly toEvent: (frame: JournalFrame) => Told | undefined;
}

async function* readFrames<Told>(
  source: OutputSource,
  cursor: Cursor,
  { signal, isFollowing, isLent, keepAlive, toEvent }: Telling<Told>,
): AsyncGenerator<Told | OutputEvent, void, undefined> {
  using _alive = keepAlive.hold();
  await using reader = openReader(source);
  let at = parseCursor(cursor);
  let isSettled = false;
  for (;;) {
    signal?.throwIfAborted();
    const { count: seen, bell } = source.news;
    const told = isFollowing ? readBell(reader, at, bell) : undefined;
    const read = told ?? (await readJournal(reader, at, source));
    /* What follows a settlement is only looked at for what should not be there. */
    if (isSettled && read.kind !== 'damaged') return;
    if (read.kind === 'nothing') {
      if (!isFollowing && read.damagedBytes > 0) yield damagedEvent(read.damagedBytes, at);
      if (!isFollowing) return;
      await untilNews(source, seen, signal);
      continue;
    }
    if (read.kind === 'closed') return;
    if (read.kind !== 'frames') {
      yield lossOf(read);
      if (isSettled || read.kind === 'tail-lost') return;
      at = read.to;
      continue;
    }
    for (const frame of read.frames) {
      if (isSettled) return;
      const event = toEvent(frame);
      if (event !== undefined) yield event;
      isSettled = isFollowing && isSettlement(frame, source.leftovers);
    }
    if (isLent === true) read.release();
    at = read.next;
  }
}

async function untilNews(source: OutputSource, seen: number, signal?: AbortSignal): Promise<void> {
  const lostBecause = source.lostBecause();
  if (lostBecause !== undefined) throw lostBecause;
  await source.news.changed(seen, signal);
}

/*
 * What the doorbell itself says about this position: nothing is there, or these few frames. Looking into the file as well
 * would cost a key's echo a third of its time.
 */
function readBell(
  reader: JournalReader,
  at: JournalPosition,
  bell: DoorbellAnswer | undefined,
): JournalRead | undefined {
  if (bell === undefined || at.payloadOffset > 0) return undefined;
  const { journalLength, tail } = bell;
  if (at.offset >= journalLength) return { kind: 'nothing', at, damagedBytes: 0 };
  const isTail = tail !== undefined && at.offset === journalLength - tail.length;
  return isTail ? reader.readTold(at, tail) : undefined;
}

function openReader(source: OutputSource): JournalReader {
  return openJournalReader(source.runDir, {
    shimAlive: source.isShimAlive,
    writtenTo: source.writtenTo,
    runId: source.runId,
    inlined: source.inlined(),
  });
}

/* A run directory that is not there is a lost journal, unless there never was one: then it is an error. */
async function readJournal(
  reader: JournalReader,
  at: JournalPosition,
  source: OutputSource,
): Promise<JournalRead> {
  try {
    return await reader.read(at);
  } catch (error) {
    const missedBytes = source.writtenTo() - at.offset;
    if (!hasCode(error, 'journal-missing') || source.writtenTo() === 0) throw error;
    return { kind: 'tail-lost', at, tornBytes: 0, missedBytes: Math.max(0, missedBytes) };
  }
}

function lossOf(
  read: Extract<JournalRead, { kind: 'gap' | 'damaged' | 'tail-lost' }>,
): OutputEvent {
  switch (read.kind) {
    case 'gap': {
      const missedBytes = read.to.offset - read.from.offset;
      return { kind: 'gap', missedBytes, cursor: asCursor(read.to) };
    }
    case 'damaged':
      return damagedEvent(read.bytes, read.to);
    case 'tail-lost':
      return { kind: 'tail-lost', missedBytes: read.missedBytes, cursor: asCursor(read.at) };
  }
}

function damagedEvent(missedBytes: number, next: JournalPosition): OutputEvent {
  return { kind: 'damaged', missedBytes, cursor: asCursor(next) };
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

function acceptedOf(frame: JournalFrame): AcceptedEvent | undefined {
  if (frame.kind !== 'input') return undefined;
  const record = parseFrameRecord(frame);
  if (record?.kind !== 'input') return undefined;
  const atMs = Math.floor(frame.timeUs / 1000);
  const cursor = asCursor(positionAfter(frame));
  return { kind: 'accepted', inputOffset: record.offset, atMs, cursor };
}

function asCursor(position: JournalPosition): Cursor {
  return formatCursor(position) as Cursor;
}

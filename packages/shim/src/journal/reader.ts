/*
 * Reads a run's journal from any position (J1, J2): one operation for live
 * view, replay, poll, log and adoption.
 *
 * Stages of a read:
 *   1. a journal that came inlined with END is used without opening a file;
 *   2. find the segment that holds the position; if it is gone, that is a gap;
 *   3. fetch the next chunk of what is written and cut it into frames;
 *   4. if there is nothing whole to hand out: what is not there is explained
 *      (damage, a lost tail, the end), or it is not written yet.
 *
 * Invariants:
 *   R1  What was handed out is never written to again, unless it is released.
 *   R2  The shim, the later segments and the length that the shim told are
 *       asked about before the last look at the file, so what is written a
 *       moment before is never called lost or damaged.
 *   R3  What is torn in a segment that has a successor stays torn: damage.
 *   R4  What is known to have been written is there, or is told as missing.
 *   R5  The CRC of output is checked, but for what was written since this reader
 *       last looked (docs/decisions/0017-output-is-checked-when-read-again.md).
 */
import { ShimError } from '../errors.ts';
import { type ChunkPool, createChunkPool } from './chunk-pool.ts';
import type { JournalPosition } from './cursor.ts';
import { cutFrames, type FrameCut } from './cut-frames.ts';
import { explainMiss, type Known, notYet } from './explain-miss.ts';
import type { FrameHeader } from './frame-header.ts';
import { cutInlined, parseInlined } from './inlined.ts';
import { createJournalEnd } from './journal-end.ts';
import { gap, type JournalRead } from './journal-read.ts';
import { type NothingWhole, readSegment, type SegmentOutcome } from './read-segment.ts';
import { createSegmentFinder, type Found, type FoundSegment } from './segment-finder.ts';

export interface JournalReaderDeps {
  /* False only on evidence (O5): then what is not there will never be. */
  readonly shimAlive: () => boolean;
  /* Whose journal it is: a segment of another run is not read. */
  readonly runId?: string | undefined;
  /* How long the journal is at least, as the shim told or the registry recorded. */
  readonly writtenTo?: (() => number) | undefined;
  /* The whole journal so far, as END brought it. */
  readonly inlined?: Buffer | undefined;
  /* Shared by the readers of a process. */
  readonly pool?: ChunkPool | undefined;
}

export interface JournalReader extends AsyncDisposable {
  /* Frames that begin at `at` and came with a doorbell; undefined when these bytes are none. */
  readTold(at: JournalPosition, bytes: Buffer): JournalRead | undefined;
  /* One at a time. Throws `journal-missing`, `cursor-invalid`, `journal-unsupported`. */
  read(at: JournalPosition): Promise<JournalRead>;
  close(): Promise<void>;
}

export function openJournalReader(runDir: string, deps: JournalReaderDeps): JournalReader {
  const finder = createSegmentFinder(runDir, deps.runId);
  const pool = deps.pool ?? createChunkPool();
  const inlined = deps.inlined === undefined ? undefined : parseInlined(deps.inlined);
  const end = createJournalEnd(finder, inlined);
  let within: FrameHeader | undefined;
  /* The segment that this reader last looked at, and where that ended. */
  let seen = { base: -1, end: 0 };
  let reading: Promise<unknown> | undefined;
  let isClosed = false;

  const handOut = (cut: FrameCut, release: () => void): JournalRead => {
    within = cut.within;
    end.note(cut);
    return { kind: 'frames', frames: cut.frames, next: cut.next, release };
  };

  const readFound = (found: FoundSegment, at: JournalPosition): Promise<SegmentOutcome> => {
    const known = within?.offset === at.offset ? within : undefined;
    const { base } = found.segment;
    const isFresh = base === seen.base && at.offset >= seen.end;
    seen = { base, end: base + found.bytes };
    const isVerified = known === undefined && !isFresh;
    return readSegment({ found, at, within: known, isVerified, pool });
  };

  const look = async (at: JournalPosition, known?: Known): Promise<JournalRead> => {
    const found = finder.find(at.offset);
    if (found.kind === 'gone') return gap(at, found.oldestBase);
    const outcome = found.kind === 'segment' ? await readFound(found, at) : notRead(found);
    if (outcome.kind === 'cut') return handOut(outcome.cut, () => pool.give(outcome.chunk));
    if (known === undefined) return notYet(at, outcome);
    return explainMiss({ at, found, outcome }, known, { end, pool, finder });
  };

  const read = async (at: JournalPosition): Promise<JournalRead> => {
    if (end.isAt(at)) return end.close(at);
    const cut = inlined === undefined ? undefined : cutInlined(inlined, at);
    if (cut !== undefined) return handOut(cut, () => {});
    const first = await look(at);
    if (first.kind !== 'nothing') return first;
    const isDead = !deps.shimAlive();
    const writtenTo = deps.writtenTo?.() ?? 0;
    const later = finder.laterBase(at.offset);
    const isExpected = !isDead && later === undefined && writtenTo <= at.offset;
    if (isExpected && first.damagedBytes === 0) return first;
    return look(at, { isDead, later, writtenTo });
  };

  const close = async (): Promise<void> => {
    isClosed = true;
    /* Its failure is its caller's; here only the descriptor must not be pulled from under it. */
    await reading?.catch(() => {});
    finder.close();
  };

  return {
    readTold: (at, bytes) => {
      const cut = cutTold(at.offset, bytes);
      return cut === undefined ? undefined : handOut(cut, () => {});
    },
    read: (at) => {
      if (isClosed || reading !== undefined) throw misused(isClosed);
      const result = read(at).finally(() => {
        reading = undefined;
      });
      reading = result;
      return result;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function cutTold(offset: number, bytes: Buffer): FrameCut | undefined {
  const cut = cutFrames({ bytes, offset, writtenTo: offset + bytes.length, isVerified: false });
  return cut.stop === 'end' ? cut : undefined;
}

function notRead({ kind }: Exclude<Found, { kind: 'gone' | 'segment' }>): NothingWhole {
  return { kind: 'nothing', tornBytes: 0, isDamaged: kind === 'unreadable' };
}

function misused(isClosed: boolean): ShimError {
  return new ShimError(
    'reader-misused',
    isClosed ? 'the reader is closed' : 'the reader is reading already',
  );
}

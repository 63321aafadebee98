/*
 * Reads a run's journal from any position (J1, J2): one operation for live
 * view, replay, poll, log and adoption.
 *
 * Stages of a read:
 *   1. a journal that came inlined with END is used without opening a file;
 *   2. find the segment that holds the position; if it is gone, that is a gap;
 *   3. fetch the next chunk of what is written and cut it into frames;
 *   4. if there is nothing whole to hand out: `nothing` while the shim lives,
 *      else how the journal ends.
 *
 * Invariants:
 *   R1  What was handed out is never written to again, unless it is released.
 *   R2  The shim is asked about before the last look at the file, so what it
 *       wrote just before it died is never called lost.
 *   R3  What is torn in a segment that has a successor stays torn: a gap.
 */
import { ShimError } from '../errors.ts';
import { type ChunkPool, createChunkPool } from './chunk-pool.ts';
import { type JournalPosition, positionAfter } from './cursor.ts';
import { cutFrames, type FrameCut, type JournalFrame } from './cut-frames.ts';
import type { FrameHeader } from './frame-header.ts';
import { cutInlined, endsFinally, parseInlined } from './inlined.ts';
import { readSegment } from './read-segment.ts';
import { createSegmentFinder, type FoundSegment } from './segment-finder.ts';
import { finalEndOf } from './final-end.ts';

export type JournalRead =
  | {
      readonly kind: 'frames';
      /* Empty only when the position was the end of a payload: `next` is the frame after it. */
      readonly frames: readonly JournalFrame[];
      readonly next: JournalPosition;
      /*
       * Optional: "I shall not look at these payloads any more." Their memory is used
       * again and the views become empty. Saves most of the cost of a flood.
       */
      readonly release: () => void;
    }
  | { readonly kind: 'nothing'; readonly at: JournalPosition }
  /* Reading goes on at `to`. */
  | { readonly kind: 'gap'; readonly from: JournalPosition; readonly to: JournalPosition }
  /* The shim is dead and there is no final end; `tornBytes` follow that are no whole frame. */
  | { readonly kind: 'tail-lost'; readonly at: JournalPosition; readonly tornBytes: number }
  | { readonly kind: 'closed'; readonly at: JournalPosition };

export interface JournalReaderDeps {
  /* False only on evidence (O5): then what is not there will never be. */
  readonly shimAlive: () => boolean;
  /* Of the running system, as in /proc/sys/kernel/random/boot_id. */
  readonly bootId: string;
  /* The whole journal so far, as END brought it. */
  readonly inlined?: Buffer | undefined;
  /* Check the CRC of output too. Always so for what another boot wrote. */
  readonly isVerified?: boolean | undefined;
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
  const finder = createSegmentFinder(runDir);
  const pool = deps.pool ?? createChunkPool();
  const inlined = deps.inlined === undefined ? undefined : parseInlined(deps.inlined);
  let within: FrameHeader | undefined;
  /* Where our last frame ended, and where the final end did, if we saw it. */
  let cutTo = -1;
  let closedAt = inlined?.closedAt;
  let reading: Promise<unknown> | undefined;
  let isClosed = false;

  const handOut = (cut: FrameCut, release: () => void): JournalRead => {
    const last = cut.frames.at(-1);
    within = cut.within;
    cutTo = cut.next.offset;
    if (last !== undefined && endsFinally(last)) closedAt = positionAfter(last).offset;
    return { kind: 'frames', frames: cut.frames, next: cut.next, release };
  };

  const isAtEnd = (at: JournalPosition): boolean =>
    at.payloadOffset === 0 && at.offset === closedAt;

  /* Stage 4, for a shim that is dead. */
  const ending = (at: JournalPosition, found: FoundSegment | undefined, tornBytes: number) => {
    if (found !== undefined && tornBytes === 0 && cutTo !== at.offset) {
      closedAt ??= finalEndOf(found);
      if (isAtEnd(at)) return { kind: 'closed', at } as const;
    }
    return { kind: 'tail-lost', at, tornBytes } as const;
  };

  const look = async (at: JournalPosition, isDead: boolean): Promise<JournalRead> => {
    const found = finder.find(at.offset);
    if (found.kind === 'gone') return gap(at, found.oldestBase);
    if (found.kind === 'none') return isDead ? ending(at, undefined, 0) : { kind: 'nothing', at };
    const isVerified = deps.isVerified === true || found.segment.header?.bootId !== deps.bootId;
    const known = within?.offset === at.offset ? within : undefined;
    const outcome = await readSegment({ found, at, within: known, isVerified, pool });
    if (outcome.kind === 'cut') return handOut(outcome.cut, () => pool.give(outcome.chunk));
    if (outcome.isDamaged || isDead) {
      const later = finder.laterBase(found.segment.base);
      if (later !== undefined && later > at.offset) return gap(at, later);
    }
    return isDead ? ending(at, found, outcome.tornBytes) : { kind: 'nothing', at };
  };

  const read = async (at: JournalPosition): Promise<JournalRead> => {
    if (isAtEnd(at)) return { kind: 'closed', at };
    const cut = inlined === undefined ? undefined : cutInlined(inlined, at);
    if (cut !== undefined) return handOut(cut, () => {});
    const seen = await look(at, false);
    if (seen.kind !== 'nothing' || deps.shimAlive()) return seen;
    return look(at, true);
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

function gap(from: JournalPosition, oldestBase: number): JournalRead {
  return { kind: 'gap', from, to: { offset: oldestBase, payloadOffset: 0 } };
}

function misused(isClosed: boolean): ShimError {
  return new ShimError(
    'reader-misused',
    isClosed ? 'the reader is closed' : 'the reader is reading already',
  );
}

/*
 * What one call returns of a run's output: the tail as text, the cursor to go on from, and what is not in it.
 *
 * Fed with events in journal order. The cursor it hands out never lies behind half a character or half an escape
 * sequence while the run may still finish it (unfinished.ts).
 */
import { outputCharactersMax } from '@clawdfather/protocol';
import { type Cursor, cursorInside, type OutputEvent } from '@clawdfather/supervisor';
import { createCappedText } from '../output/capped-text.ts';
import { createTextCleaner } from '../output/clean-text.ts';
import { createRawTail, type RawPiece } from './raw-tail.ts';
import { unfinishedBytes, unfinishedBytesMax } from './unfinished.ts';

export interface CollectedOutput {
  readonly output: string;
  readonly cursor: Cursor;
  readonly truncated?: { readonly droppedBytes: number; readonly fromCursor: Cursor };
  readonly notes: readonly string[];
}

export interface OutputCollector {
  /* Copies what it keeps, so lent bytes are fine. */
  push(event: OutputEvent): void;
  /* Where reading goes on: after all that was pushed. */
  readonly reached: Cursor;
  /* When the last output was written, by the wall clock. */
  readonly lastOutputAtMs: number | undefined;
  /* `isOver`: nothing follows, so nothing is held back. */
  result(isOver: boolean): CollectedOutput;
}

/* A character takes up to four bytes, and colours take some as well. */
const bytesPerCharacter = 4;
/* A cut text begins with a whole line, if there is one this near. */
const lineSearchBytes = 4_096;
const newline = 0x0a;

interface Recent {
  readonly before: Cursor;
  readonly cursor: Cursor;
  readonly length: number;
}

export function createOutputCollector(
  from: Cursor,
  charactersMax: number = outputCharactersMax,
): OutputCollector {
  const tail = createRawTail(charactersMax * bytesPerCharacter + unfinishedBytesMax);
  let reached = from;
  let missedBytes = 0;
  let damagedBytes = 0;
  let isTailLost = false;
  let lastOutputAtMs: number | undefined;
  /* The events that the last bytes belong to: enough for what may be held back. */
  let recent: Recent[] = [];
  let recentBytes = 0;

  const remember = (before: Cursor, cursor: Cursor, length: number): void => {
    recent.push({ before, cursor, length });
    recentBytes += length;
    if (recent.length > 8_192 || recentBytes > 2 * unfinishedBytesMax + length) {
      while (recentBytes - (recent[0]?.length ?? 0) >= unfinishedBytesMax && recent.length > 1) {
        recentBytes -= recent.shift()?.length ?? 0;
      }
    }
  };

  const forgetRecent = (): void => {
    recent = [];
    recentBytes = 0;
  };

  return {
    push: (event) => {
      if (event.kind === 'output') {
        tail.push(event.stream, event.bytes);
        remember(reached, event.cursor, event.bytes.length);
        lastOutputAtMs = event.atMs;
      } else if (event.kind === 'gap') {
        missedBytes += event.missedBytes;
        forgetRecent();
      } else if (event.kind === 'damaged') {
        damagedBytes += event.missedBytes;
        forgetRecent();
      } else if (event.kind === 'tail-lost') isTailLost = true;
      reached = event.cursor;
    },
    get reached() {
      return reached;
    },
    get lastOutputAtMs() {
      return lastOutputAtMs;
    },
    result: (isOver) => {
      const heldBytes = isOver ? 0 : unfinishedBytes(tail.ending(unfinishedBytesMax));
      const { text, droppedBytes } = textOf(tail.pieces(heldBytes), {
        charactersMax,
        isCut: tail.droppedBytes > 0,
      });
      const dropped = tail.droppedBytes + droppedBytes;
      return {
        output: text,
        cursor: heldBytes === 0 ? reached : cursorBack(recent, heldBytes),
        ...(dropped === 0 ? {} : { truncated: { droppedBytes: dropped, fromCursor: from } }),
        notes: notesOf({ missedBytes, damagedBytes, isTailLost }),
      };
    },
  };
}

/* One cleaner per stream: each may be in the middle of a character while the other one speaks. */
function textOf(
  pieces: readonly RawPiece[],
  { charactersMax, isCut }: { readonly charactersMax: number; readonly isCut: boolean },
): { readonly text: string; readonly droppedBytes: number } {
  const cleaners = { stdout: createTextCleaner(), stderr: createTextCleaner() };
  const capped = createCappedText({ charactersMax });
  const skipped = isCut ? partOfLine(pieces[0]) : 0;
  let cutBytes = skipped;
  for (const [index, { stream, bytes }] of pieces.entries()) {
    capped.push(cleaners[stream].push(index === 0 ? bytes.subarray(skipped) : bytes), '');
  }
  for (const cleaner of [cleaners.stdout, cleaners.stderr]) capped.push(cleaner.end(), '');
  const { text, droppedCharacters } = capped.result();
  cutBytes += droppedCharacters;
  return { text, droppedBytes: cutBytes };
}

function partOfLine(piece: RawPiece | undefined): number {
  const end = piece?.bytes.subarray(0, lineSearchBytes).indexOf(newline) ?? -1;
  return end + 1;
}

function cursorBack(recent: readonly Recent[], heldBytes: number): Cursor {
  let back = heldBytes;
  for (const { before, cursor, length } of recent.toReversed()) {
    if (back <= length) {
      const bytes = { length } as Uint8Array;
      return cursorInside(before, { bytes, cursor }, length - back);
    }
    back -= length;
  }
  return recent[0]?.before ?? ('0.0' as Cursor);
}

interface Losses {
  readonly missedBytes: number;
  readonly damagedBytes: number;
  readonly isTailLost: boolean;
}

function notesOf({ missedBytes, damagedBytes, isTailLost }: Losses): readonly string[] {
  return [
    ...(missedBytes === 0
      ? []
      : [`${missedBytes} bytes of output were dropped: the journal has a size limit`]),
    ...(damagedBytes === 0
      ? []
      : [
          `${damagedBytes} bytes of output are missing: its journal was cut, deleted or altered on disk`,
        ]),
    ...(isTailLost ? ['the last output may be missing: the journal ends without its end'] : []),
  ];
}

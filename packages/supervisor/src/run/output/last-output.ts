/*
 * Where the last bytes of a run's output begin, or those before a cursor, found without reading what is before them.
 */
import { findPositionNear, formatCursor, type FrameMarks, parseCursor } from '@clawdfather/shim';
import type { Cursor, RunRecord } from '../../types.ts';
import { readJournalExtent } from '../../use/journal-length.ts';
import { headerBytes } from './cursor-inside.ts';
import type { Breathe, OutputLooks } from './output-looks.ts';
import { outputStart } from './read-output.ts';

export interface LastOutput {
  /** Of the journal; its frames take some of them. */
  readonly bytes: number;
  /** Absent: before what has been said so far. */
  readonly before?: Cursor | undefined;
  readonly breathe?: Breathe | undefined;
}

export interface LastOutputStart {
  readonly cursor: Cursor;
  /** Nothing is before it. Where it is false, what is before it may hold no output. */
  readonly isStart: boolean;
}

export interface FindDeps {
  readonly marks: FrameMarks;
  readonly looks: OutputLooks;
}

export async function findLastOutput(
  { marks, looks }: FindDeps,
  { runDir, record }: { readonly runDir: string; readonly record: RunRecord },
  { bytes, before, breathe }: LastOutput,
): Promise<LastOutputStart> {
  const last = before ?? (await looks.tailOf(runDir, record, breathe))?.end ?? outputStart;
  const extent = readJournalExtent(runDir);
  if (extent === undefined) return beginning;
  const droppedBytes = extent.lengthBytes - extent.diskBytes;
  return findBefore(runDir, { end: offsetOf(last), droppedBytes, marks }, bytes);
}

const beginning: LastOutputStart = { cursor: outputStart, isStart: true };

interface End {
  readonly end: number;
  readonly droppedBytes: number;
  readonly marks: FrameMarks;
}

function findBefore(
  runDir: string,
  { end, droppedBytes, marks }: End,
  bytes: number,
): LastOutputStart {
  const wanted = end - bytes;
  if (wanted <= droppedBytes) return beginning;
  const found = findPositionNear(runDir, wanted, marks);
  if (found === undefined) return beginning;
  // What lies between is no output, and longer than was asked for.
  if (found.offset >= end) return findBefore(runDir, { end, droppedBytes, marks }, 2 * bytes);
  return { cursor: formatCursor(found) as Cursor, isStart: false };
}

function offsetOf(cursor: Cursor): number {
  const { offset, payloadOffset } = parseCursor(cursor);
  return payloadOffset === 0 ? offset : offset + headerBytes + payloadOffset;
}

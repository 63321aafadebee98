/*
 * The newest chunks of a run, shared by its live readers: a row of chunks with consecutive numbers, and the places between
 * them, at which a reader can join.
 */
import { compareCursors, type Cursor } from '@clawdfather/supervisor';
import type { Chunk } from './chunk.ts';
import { chunkOverheadBytes } from './limits.ts';

export interface ChunkWindow {
  /* Number of the oldest chunk, and of the next one that comes. */
  readonly first: number;
  readonly next: number;
  readonly bytes: number;
  /* Where the oldest begins, and where the newest ends. */
  readonly start: Cursor;
  readonly head: Cursor;
  push(chunk: Chunk): void;
  dropFirst(): void;
  at(number: number): Chunk | undefined;
  /* The number of the chunk that begins exactly there; the next one's for the head. */
  numberAt(cursor: Cursor): number | undefined;
  /* The nearest place after the cursor at which a reader can join. */
  edgeAfter(cursor: Cursor): Cursor | undefined;
}

export function createChunkWindow(from: Cursor): ChunkWindow {
  const chunks: Chunk[] = [];
  let first = 0;
  let bytes = 0;
  let head = from;

  return {
    get first() {
      return first;
    },
    get next() {
      return first + chunks.length;
    },
    get bytes() {
      return bytes;
    },
    get start() {
      return chunks[0]?.before ?? head;
    },
    get head() {
      return head;
    },
    push: (chunk) => {
      chunks.push(chunk);
      bytes += sizeOf(chunk);
      head = chunk.after;
    },
    dropFirst: () => {
      const dropped = chunks.shift();
      if (dropped === undefined) return;
      first += 1;
      bytes -= sizeOf(dropped);
      if (dropped.kind === 'data') dropped.release();
    },
    at: (number) => chunks[number - first],
    numberAt: (cursor) => {
      const index = chunks.findIndex(({ before }) => before === cursor);
      if (index >= 0) return first + index;
      return cursor === head ? first + chunks.length : undefined;
    },
    edgeAfter: (cursor) => {
      const isAfter = (edge: Cursor): boolean => compareCursors(edge, cursor) > 0;
      const found = chunks.find(({ before }) => isAfter(before))?.before;
      return found ?? (isAfter(head) ? head : undefined);
    },
  };
}

function sizeOf(chunk: Chunk): number {
  return chunkOverheadBytes + (chunk.kind === 'data' ? chunk.payloadBytes : 0);
}

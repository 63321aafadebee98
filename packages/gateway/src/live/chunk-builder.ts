/*
 * From the journal's events to chunks: a program that writes line by line makes a record of each line, and a message for
 * each would cost more than the lines. What comes together goes out together, up to `chunkBytesMax`.
 *
 * Bytes are copied when they are added, so a lent event may be used.
 */
import { type Cursor, cursorInside, type OutputEvent, type RunId } from '@clawdfather/supervisor';
import { type Chunk, createDataChunk, headerBytesMax, type OutputStream } from './chunk.ts';
import { chunkBytesMax, chunkSpanMs } from './limits.ts';
import type { RoomPool } from './room-pool.ts';

type Output = Extract<OutputEvent, { kind: 'output' }>;

export interface ChunkBuilder {
  /* Where the last event that was added ends. */
  readonly position: Cursor;
  readonly hasPending: boolean;
  add(event: OutputEvent): void;
  /* Hands out what was added and is not a full chunk yet. */
  flush(): void;
}

export interface ChunkBuilderOptions {
  readonly runId: RunId;
  readonly from: Cursor;
  readonly pool: RoomPool;
  /* Code that keeps a data chunk has to release it. */
  readonly emit: (chunk: Chunk) => void;
}

/* Keys and short answers fit; most of what people see goes out in these. */
const smallBytes = 4 * 1024;

export function createChunkBuilder(options: ChunkBuilderOptions): ChunkBuilder {
  const { runId, from, pool, emit } = options;
  let emittedTo = from;
  let position = from;
  let room: Buffer | undefined;
  let used = 0;
  let stream: OutputStream = 'stdout';
  let atMs = 0;

  const flush = (): void => {
    if (room === undefined) return;
    const { bytes, onReleased } = finished(pool, room, headerBytesMax + used);
    room = undefined;
    used = 0;
    const before = emittedTo;
    emittedTo = position;
    const after = position;
    emit(createDataChunk({ runId, stream, atMs, room: bytes, before, after, onReleased }));
  };

  const take = (bytes: Uint8Array): number => {
    const count = Math.min(bytes.length, chunkBytesMax - used);
    room = roomFor(pool, room, { used, needed: used + count });
    room.set(count === bytes.length ? bytes : bytes.subarray(0, count), headerBytesMax + used);
    used += count;
    return count;
  };

  const addOutput = (event: Output): void => {
    if (event.stream !== stream || event.atMs - atMs > chunkSpanMs) flush();
    stream = event.stream;
    const begin = position;
    for (let done = 0; done < event.bytes.length; ) {
      if (room === undefined) ({ atMs } = event);
      done += take(done === 0 ? event.bytes : event.bytes.subarray(done));
      position = cursorInside(begin, event, done);
      if (used === chunkBytesMax) flush();
    }
    position = event.cursor;
  };

  return {
    get position() {
      return position;
    },
    get hasPending() {
      return room !== undefined;
    },
    add: (event) => {
      if (event.kind === 'output') {
        addOutput(event);
        return;
      }
      flush();
      const before = emittedTo;
      emittedTo = event.cursor;
      position = event.cursor;
      emit({ kind: 'note', note: event, before, after: event.cursor });
    },
    flush,
  };
}

const wholeBytes = headerBytesMax + chunkBytesMax;

function roomFor(
  pool: RoomPool,
  room: Buffer | undefined,
  { used, needed }: { readonly used: number; readonly needed: number },
): Buffer {
  if (room !== undefined && room.length >= headerBytesMax + needed) return room;
  const next = needed <= smallBytes ? Buffer.allocUnsafe(headerBytesMax + smallBytes) : pool.take();
  if (room !== undefined) room.copy(next, 0, 0, headerBytesMax + used);
  return next;
}

/* A few bytes must not keep a large buffer in memory while a reader has not taken them. */
function finished(pool: RoomPool, room: Buffer, end: number) {
  const isWhole = room.length === wholeBytes;
  if (end * 2 >= room.length) {
    return {
      bytes: room.subarray(0, end),
      onReleased: isWhole ? (): void => pool.give(room) : undefined,
    };
  }
  const bytes = Buffer.from(room.subarray(0, end));
  if (isWhole) pool.give(room);
  return { bytes, onReleased: undefined };
}

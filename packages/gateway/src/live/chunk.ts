/*
 * What readers are sent, each encoded once however many readers there are.
 *
 * Data goes out in one of three forms: to sockets as a binary or a JSON message (docs/protocol/websocket.md), to streams as a
 * server-sent event (docs/runs-api.md). The binary one is made with the chunk, the others when the first reader asks for them.
 * Notes (a gap, a new size, a terminal that came or left) are encoded by the code that has the reader, because their meaning
 * depends on it.
 */
import type { Cursor, OutputEvent, RunId } from '@clawdfather/supervisor';
import { formatTime } from '../http/format-time.ts';

export type OutputStream = Extract<OutputEvent, { kind: 'output' }>['stream'];
export type Note = Exclude<OutputEvent, { kind: 'output' }>;

/* Where the chunk begins and ends in the journal: the one before it ends where this one begins. */
interface CursorRange {
  readonly before: Cursor;
  readonly after: Cursor;
}

export interface NoteChunk extends CursorRange {
  readonly kind: 'note';
  readonly note: Note;
}

export interface DataChunk extends CursorRange {
  readonly kind: 'data';
  readonly payloadBytes: number;
  /* The whole message in its binary form. */
  readonly binary: Buffer;
  /* The whole message in its JSON form, as UTF-8. Good also after the chunk is released. */
  readonly text: Buffer;
  /* The whole server-sent event, its id being `after`. Good also after the chunk is released. */
  readonly event: Buffer;
  /* `binary` is used for longer than this call; a `release` for each. Its maker holds it from the start. */
  hold(): void;
  readonly release: () => void;
}

export type Chunk = NoteChunk | DataChunk;

/* The first byte of a binary message: what it is. The only kind there is yet. */
const dataKind = 1;
const streamNumbers: Readonly<Record<OutputStream, number>> = { stdout: 1, stderr: 2 };
const fixedBytes = 4;

/* Kind, stream and two lengths; a run id has at most 31 characters, a cursor at most 16 (docs/protocol/journal.md). */
export const headerBytesMax = fixedBytes + 31 + 16;

export interface DataParts extends CursorRange {
  readonly runId: RunId;
  readonly stream: OutputStream;
  /* When the first of it was written. */
  readonly atMs: number;
  /* The payload, with `headerBytesMax` bytes of room before it. */
  readonly room: Buffer;
  /* Its memory is no longer in use. */
  readonly onReleased: (() => void) | undefined;
}

export function createDataChunk(parts: DataParts): DataChunk {
  const { runId, stream, atMs, room, before, after, onReleased } = parts;
  const headerBytes = fixedBytes + runId.length + after.length;
  const start = headerBytesMax - headerBytes;
  room[start] = dataKind;
  room[start + 1] = streamNumbers[stream];
  room[start + 2] = runId.length;
  room[start + 3] = after.length;
  room.write(runId, start + fixedBytes, 'latin1');
  room.write(after, start + fixedBytes + runId.length, 'latin1');
  const binary = room.subarray(start);
  let text: Buffer | undefined;
  let event: Buffer | undefined;
  let holders = 1;
  return {
    kind: 'data',
    before,
    after,
    payloadBytes: binary.length - headerBytes,
    binary,
    get text() {
      // By hand: the id and the cursor hold nothing that JSON would escape, and base64 does not either.
      text ??= Buffer.from(
        `{"type":"terminal.data","run_id":"${runId}","cursor":"${after}","stream":"${stream}","bytes":"${binary.toString('base64', headerBytes)}"}`,
        'latin1',
      );
      return text;
    },
    get event() {
      event ??= Buffer.from(
        `event: output\nid: ${after}\ndata: {"stream":"${stream}","at":"${formatTime(atMs)}","data":"${binary.toString('base64', headerBytes)}"}\n\n`,
        'latin1',
      );
      return event;
    },
    hold: () => {
      holders += 1;
    },
    release: () => {
      holders -= 1;
      if (holders === 0) onReleased?.();
    },
  };
}

/*
 * What an agent says, cut into steps that can be committed. A step ends where a message ends: the bytes of an unfinished message are read
 * again after a crash, so what arrives between its pieces (stderr, accepted input) belongs to the step of that message (W1). A
 * message longer than `messageBytesMax` is not kept, and reading ends there (W2).
 */
import {
  type AcceptedEvent,
  type Cursor,
  cursorInside,
  type OutputEvent,
} from '@clawdfather/supervisor';
import { parseMessage, type RpcMessage } from './json-rpc.ts';
import { heldStderrBytesMax, messageBytesMax, noiseBytesMax } from './limits.ts';

export type WireItem =
  | { readonly kind: 'message'; readonly message: RpcMessage; readonly bytes: number }
  | { readonly kind: 'noise'; readonly text: string; readonly bytes: number }
  /* Of an agent without a protocol: a piece of its answer. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'stderr'; readonly text: string; readonly droppedBytes: number }
  /* The shim has all of our input below this. */
  | { readonly kind: 'accepted'; readonly inputOffset: number }
  | { readonly kind: 'lost'; readonly missedBytes: number }
  | { readonly kind: 'overlong'; readonly bytes: number };

/* All of it is committed together, with the cursor. */
export interface WireStep {
  readonly cursor: Cursor;
  /* When the agent said it, by the journal (W10). */
  readonly atMs: number;
  readonly items: readonly WireItem[];
}

export interface WireReader {
  /* The steps that this event completes. */
  push(event: OutputEvent | AcceptedEvent): readonly WireStep[];
  /* What is left when nothing more comes. */
  end(): readonly WireStep[];
}

const newline = 0x0a;

export interface WireReaderOptions {
  readonly messageBytesMax?: number;
}

/* `from`: where reading begins, an edge. */
export function createWireReader(from: Cursor, options: WireReaderOptions = {}): WireReader {
  return new LineReader(from, options.messageBytesMax ?? messageBytesMax);
}

class LineReader implements WireReader {
  readonly #bytesMax: number;
  readonly #line = createLine();
  readonly #stderr = createHeldStderr();
  #before: Cursor;
  #accepted: WireItem[] = [];
  #lastAtMs = 0;
  #isOver = false;

  constructor(from: Cursor, bytesMax: number) {
    this.#before = from;
    this.#bytesMax = bytesMax;
  }

  push(event: OutputEvent | AcceptedEvent): readonly WireStep[] {
    if (this.#isOver) return [];
    if ('atMs' in event) this.#lastAtMs = event.atMs;
    const steps = this.#take(event);
    this.#before = event.cursor;
    return steps;
  }

  /* Half a message is none. */
  end(): readonly WireStep[] {
    return [];
  }

  #take(event: OutputEvent | AcceptedEvent): readonly WireStep[] {
    const { cursor } = event;
    switch (event.kind) {
      case 'output':
        if (event.stream === 'stdout') return this.#takeOutput(event);
        this.#stderr.add(event.bytes);
        return this.#unlessInside(cursor);
      case 'accepted':
        this.#accepted.push({ kind: 'accepted', inputOffset: event.inputOffset });
        return this.#unlessInside(cursor);
      case 'gap':
      case 'damaged':
      case 'tail-lost':
        // Half a message may be gone with it.
        this.#line.take();
        return [this.#edge(cursor, { kind: 'lost', missedBytes: event.missedBytes })];
      case 'resize':
      case 'attached':
        return [];
    }
  }

  #takeOutput(event: Extract<OutputEvent, { kind: 'output' }>): readonly WireStep[] {
    const steps: WireStep[] = [];
    const { bytes } = event;
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(newline, start);
      this.#line.add(bytes.subarray(start, end === -1 ? bytes.length : end));
      if (this.#line.bytes() > this.#bytesMax) {
        this.#isOver = true;
        steps.push(this.#edge(event.cursor, { kind: 'overlong', bytes: this.#line.bytes() }));
        return steps;
      }
      if (end === -1) break;
      const cursor = cursorInside(this.#before, event, end + 1);
      const step = this.#edge(cursor, itemOf(this.#line.take()));
      if (step.items.length > 0) steps.push(step);
      start = end + 1;
    }
    return steps;
  }

  /* W1: between the pieces of a message nothing is committed. */
  #unlessInside(cursor: Cursor): readonly WireStep[] {
    return this.#line.bytes() > 0 ? [] : [this.#edge(cursor, undefined)];
  }

  /* With what came since the last edge. */
  #edge(cursor: Cursor, item: WireItem | undefined): WireStep {
    const own = item === undefined ? [] : [item];
    const items = [...own, ...this.#accepted, ...this.#stderr.take()];
    this.#accepted = [];
    return { cursor, atMs: this.#lastAtMs, items };
  }
}

/* Undefined: an empty line, which says nothing. */
function itemOf(bytes: Buffer): WireItem | undefined {
  const text = bytes.toString('utf8');
  if (text.trim() === '') return undefined;
  const message = parseMessage(text);
  if (message !== undefined) return { kind: 'message', message, bytes: bytes.length };
  const shown = bytes.length > noiseBytesMax ? bytes.toString('utf8', 0, noiseBytesMax) : text;
  return { kind: 'noise', text: shown, bytes: bytes.length };
}

function createLine() {
  let pieces: Uint8Array[] = [];
  let length = 0;
  return {
    bytes: () => length,
    add: (piece: Uint8Array): void => {
      if (piece.length === 0) return;
      pieces.push(piece);
      length += piece.length;
    },
    take: (): Buffer => {
      const whole = Buffer.concat(pieces, length);
      pieces = [];
      length = 0;
      return whole;
    },
  };
}

/* Keeps the beginning and the end; the middle is dropped and counted. */
function createHeldStderr() {
  const half = heldStderrBytesMax / 2;
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let droppedBytes = 0;
  return {
    add: (bytes: Uint8Array): void => {
      const room = Math.min(bytes.length, half - head.length);
      head = Buffer.concat([head, bytes.subarray(0, room)]);
      const rest = Buffer.concat([tail, bytes.subarray(room)]);
      tail = Buffer.from(rest.subarray(Math.max(0, rest.length - half)));
      droppedBytes += rest.length - tail.length;
    },
    take: (): readonly WireItem[] => {
      if (head.length === 0) return [];
      const text = droppedBytes === 0 ? Buffer.concat([head, tail]).toString('utf8') : undefined;
      const item: WireItem = {
        kind: 'stderr',
        text: text ?? `${head.toString('utf8')}\n…\n${tail.toString('utf8')}`,
        droppedBytes,
      };
      head = Buffer.alloc(0);
      tail = Buffer.alloc(0);
      droppedBytes = 0;
      return [item];
    },
  };
}

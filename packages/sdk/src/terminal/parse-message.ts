/*
 * From a message of `/ws/runs/:id` to what it means for a terminal (docs/protocol/websocket.md). Pure.
 *
 * Messages, and kinds of binary messages, that this client does not know come from a newer gateway and are skipped. One that
 * it knows and that has another shape than documented is an error: to skip it would be a hole in the output.
 */
import { type RunServerMessage, runServerMessageSchema } from '@clawdfather/protocol/api';
import { SdkError } from '../errors.ts';
import type { PlacedEvent, RunExit, TerminalSize } from './terminal-event.ts';

export type Heard =
  | { readonly kind: 'event'; readonly event: PlacedEvent }
  | { readonly kind: 'attached'; readonly cursor: string }
  | { readonly kind: 'fitted'; readonly size: TerminalSize | undefined }
  | { readonly kind: 'acknowledged'; readonly inputId: string }
  | Refused
  | { readonly kind: 'ended'; readonly exit: RunExit }
  /* The answer to a heartbeat. */
  | { readonly kind: 'beat' }
  | { readonly kind: 'nothing' };

export interface Refused {
  readonly kind: 'refused';
  readonly about: string | undefined;
  readonly inputId: string | undefined;
  readonly code: string;
  readonly message: string;
}

const nothing: Heard = { kind: 'nothing' };
const knownTypes: ReadonlySet<string> = new Set(
  runServerMessageSchema.options.map(({ shape }) => shape.type.value),
);

/* Throws `answer-invalid`. */
export function parseMessage(data: unknown): Heard {
  if (typeof data === 'string') return parseText(data);
  if (data instanceof ArrayBuffer) return parseBinary(new Uint8Array(data));
  throw new SdkError('answer-invalid', 'a message that is neither text nor an ArrayBuffer', {
    hint: 'a socket of your own takes `binaryType`',
  });
}

function parseText(text: string): Heard {
  const json = parseJson(text);
  if (!knownTypes.has(typeOf(json))) return nothing;
  const parsed = runServerMessageSchema.safeParse(json);
  if (!parsed.success) {
    throw new SdkError('answer-invalid', `a message "${typeOf(json)}" is not as documented`, {
      cause: parsed.error,
    });
  }
  return heardOf(parsed.data);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SdkError('answer-invalid', 'a message that is no JSON', { cause });
  }
}

function typeOf(json: unknown): string {
  const isTyped = typeof json === 'object' && json !== null && 'type' in json;
  return isTyped && typeof json.type === 'string' ? json.type : '';
}

function heardOf(message: RunServerMessage): Heard {
  switch (message.type) {
    case 'terminal.data': {
      const { stream, cursor } = message;
      const bytes = Uint8Array.from(atob(message.bytes), (character) => character.charCodeAt(0));
      return { kind: 'event', event: { kind: 'output', stream, bytes, cursor } };
    }
    case 'gap':
    case 'damaged':
    case 'tail_lost':
    case 'terminal.resized':
    case 'terminal.answers':
      return { kind: 'event', event: noteOf(message) };
    case 'terminal.attached':
      return { kind: 'attached', cursor: message.cursor };
    case 'terminal.fitted':
      return { kind: 'fitted', size: message.size ?? undefined };
    case 'terminal.input_ack':
      return { kind: 'acknowledged', inputId: message.input_id };
    case 'run_ended':
      return { kind: 'ended', exit: message.exit };
    case 'heartbeat_ack':
      return { kind: 'beat' };
    case 'error': {
      const { code, about, input_id: inputId } = message;
      return { kind: 'refused', about, inputId, code, message: message.message };
    }
    // What the run is like is asked by `GET /api/v1/runs/:id`; decisions are not taken here.
    case 'run':
    case 'approved':
      return nothing;
  }
}

type NoteMessage = Extract<
  RunServerMessage,
  { type: 'gap' | 'damaged' | 'tail_lost' | 'terminal.resized' | 'terminal.answers' }
>;

function noteOf(message: NoteMessage): PlacedEvent {
  switch (message.type) {
    case 'gap':
      // Of a run these are cursors; numbers are those of a session's events.
      return { kind: 'gap', missedBytes: message.missed_bytes ?? 0, cursor: String(message.to) };
    case 'damaged':
      return { kind: 'damaged', missedBytes: message.missed_bytes, cursor: message.to };
    case 'tail_lost':
      return { kind: 'tail-lost', missedBytes: message.missed_bytes, cursor: message.cursor };
    case 'terminal.resized': {
      const { cols, rows, cursor } = message;
      return { kind: 'resize', cols, rows, cursor };
    }
    case 'terminal.answers':
      return { kind: 'answers', isOurs: true, cursor: message.cursor };
  }
}

const outputKind = 1;
const headerBytes = 4;
const streams = { 1: 'stdout', 2: 'stderr' } as const;

function parseBinary(message: Uint8Array): Heard {
  const [kind, streamNumber = 0, runIdBytes = 0, cursorBytes = 0] = message;
  if (kind !== undefined && kind !== outputKind) return nothing;
  const cursorAt = headerBytes + runIdBytes;
  const bytesAt = cursorAt + cursorBytes;
  const stream = streamNumber === 1 || streamNumber === 2 ? streams[streamNumber] : undefined;
  if (message.length < Math.max(headerBytes, bytesAt) || stream === undefined) {
    throw new SdkError('answer-invalid', 'a binary message is not as documented');
  }
  const cursor = String.fromCharCode(...message.subarray(cursorAt, bytesAt));
  const event = { kind: 'output', stream, bytes: message.subarray(bytesAt), cursor } as const;
  return { kind: 'event', event };
}

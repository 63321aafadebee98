/*
 * What is typed into a run, in the order in which it was given, each piece until the run has it.
 *
 * A piece is sent once. One that was sent and not acknowledged when the connection broke may have arrived or not, so it is
 * not sent again, and its `write` says so (`input-unconfirmed`); the rest of that write is dropped with it, since a hole in the
 * middle of a text is worse than its end missing. What was not sent yet waits for the next connection.
 *
 * While the run does not read, so many bytes are on their way and the rest waits here: beyond 256 KiB the gateway would not
 * read this socket any more, and heartbeats would go unanswered.
 */
import { deferred, type Deferred } from '@clawdfather/kit';
import type { SocketClientMessage } from '@clawdfather/protocol/api';
import { SdkError } from '../errors.ts';
import { encodeBase64 } from './encode-base64.ts';

/* 60 KiB in base64, the most that a message takes. */
export const pieceBytesMax = 45 * 1024;
export const unacknowledgedBytesMax = 2 * pieceBytesMax;
/* What a message costs beside its bytes, so that very many single keys are counted too. */
const messageBytes = 256;

interface Write {
  readonly done: Deferred<void>;
  readonly bytes: Uint8Array;
  readonly isEof: boolean;
  sentBytes: number;
  unacknowledged: number;
}

interface Piece {
  readonly write: Write;
  readonly cost: number;
}

type Send = (message: SocketClientMessage) => void;

export class InputRow {
  readonly #waiting: Write[] = [];
  readonly #sent = new Map<string, Piece>();
  #unacknowledgedBytes = 0;
  #lastId = 0;
  #send: Send | undefined;
  #closed: { readonly error: unknown } | undefined;

  /* Resolves when the run has all of it. The bytes must not change until then. */
  write(bytes: Uint8Array): Promise<void> {
    return this.#add(bytes, false);
  }

  /* End of input, after all that was written. */
  end(): Promise<void> {
    return this.#add(new Uint8Array(0), true);
  }

  /* Input is taken from now on. */
  connected(send: Send): void {
    this.#send = send;
    this.#pump();
  }

  acknowledged(inputId: string): void {
    const write = this.#settle(inputId);
    const isWhole = write?.unacknowledged === 0 && write.sentBytes === write.bytes.length;
    if (isWhole) write.done.resolve();
    this.#pump();
  }

  /* Without an id it was the oldest. */
  refused(inputId: string | undefined, error: Error): void {
    const [oldest = ''] = this.#sent.keys();
    const write = this.#settle(inputId ?? oldest);
    if (write !== undefined) this.#fail(write, error);
    this.#pump();
  }

  disconnected(): void {
    this.#send = undefined;
    for (const inputId of this.#sent.keys()) {
      const write = this.#settle(inputId);
      if (write !== undefined) this.#fail(write, unconfirmed());
    }
  }

  /* Nothing is taken any more; everything that waits, and all that comes, is rejected. */
  close(error: unknown): void {
    this.#send = undefined;
    this.#closed ??= { error };
    for (const { write } of this.#sent.values()) this.#fail(write, error);
    this.#sent.clear();
    for (const write of this.#waiting.splice(0)) this.#fail(write, error);
  }

  #add(bytes: Uint8Array, isEof: boolean): Promise<void> {
    const done = deferred();
    if (this.#closed !== undefined) done.reject(this.#closed.error as Error);
    else if (bytes.length === 0 && !isEof) done.resolve();
    else this.#waiting.push({ done, bytes, isEof, sentBytes: 0, unacknowledged: 0 });
    this.#pump();
    return done.promise;
  }

  #pump(): void {
    for (;;) {
      const [write] = this.#waiting;
      if (this.#send === undefined || write === undefined) return;
      const bytes = write.bytes.subarray(write.sentBytes, write.sentBytes + pieceBytesMax);
      const cost = bytes.length + messageBytes;
      const isFirst = this.#sent.size === 0;
      if (!isFirst && this.#unacknowledgedBytes + cost > unacknowledgedBytesMax) return;
      this.#lastId += 1;
      const inputId = String(this.#lastId);
      write.sentBytes += bytes.length;
      write.unacknowledged += 1;
      if (write.sentBytes === write.bytes.length) this.#waiting.shift();
      this.#sent.set(inputId, { write, cost });
      this.#unacknowledgedBytes += cost;
      this.#send(messageOf(bytes, { inputId, isEof: write.isEof }));
    }
  }

  #settle(inputId: string): Write | undefined {
    const piece = this.#sent.get(inputId);
    if (piece === undefined) return undefined;
    this.#sent.delete(inputId);
    this.#unacknowledgedBytes -= piece.cost;
    piece.write.unacknowledged -= 1;
    return piece.write;
  }

  /* What of it was not sent yet is dropped. */
  #fail(write: Write, error: unknown): void {
    const place = this.#waiting.indexOf(write);
    if (place >= 0) this.#waiting.splice(place, 1);
    write.done.reject(error as Error);
  }
}

function messageOf(
  bytes: Uint8Array,
  { inputId, isEof }: { readonly inputId: string; readonly isEof: boolean },
): SocketClientMessage {
  return {
    type: 'terminal.input',
    data: encodeBase64(bytes),
    encoding: 'base64',
    ...(isEof ? { eof: true } : {}),
    input_id: inputId,
  };
}

function unconfirmed(): SdkError {
  return new SdkError(
    'input-unconfirmed',
    'the connection or the run ended before this input was confirmed; it may have arrived or not',
    { hint: 'look at what the run shows before you type it again' },
  );
}

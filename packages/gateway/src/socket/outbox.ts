/*
 * What goes out over one socket, and how much of it waits there.
 *
 * Output is sent while there is room, and not at all while there is none: its readers wait for `onDrained`. Short
 * answers are always sent, since a client that types needs its answers; a client that never reads them is cut off.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '@clawdfather/kit';
import { type ServerMessage, socketCloseCodes } from '@clawdfather/protocol/api';
import type { WebSocket } from 'ws';
import type { DataChunk } from '../live/chunk.ts';
import { unsentBytesMax } from '../live/limits.ts';
import { unreadAnswerBytesMax } from './limits.ts';

/*
 * Answers to pings that wait to be sent. A ping is asked again after a while, so more wait only for a client that floods us and
 * does not read; the newest need no answer then, as little as those that are overtaken (RFC 6455, 5.5.3).
 */
const waitingPongsMax = 16;

const asText = { binary: false } as const;
const asBinary = { binary: true } as const;

/* A message of JSON-RPC: an answer, or a notification. */
export interface RpcMessage {
  readonly jsonrpc: '2.0';
  readonly method?: string;
  readonly params?: object;
}

export class Outbox {
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  readonly #clock: Clock;
  #fullSinceMs: number | undefined;
  #waitingPongs = 0;

  constructor(ws: WebSocket, socket: Duplex, clock: Clock) {
    this.#ws = ws;
    this.#socket = socket;
    this.#clock = clock;
  }

  /* Calls back whenever a socket that was full has room again. */
  onDrained(listener: () => void): void {
    this.#socket.on('drain', () => {
      if (this.#fullSinceMs === undefined) return;
      this.#fullSinceMs = undefined;
      listener();
    });
  }

  get isFull(): boolean {
    return this.#fullSinceMs !== undefined;
  }

  /* When the socket last took anything, while it is full. */
  get fullSinceMs(): number | undefined {
    return this.#fullSinceMs;
  }

  send(message: ServerMessage | RpcMessage | readonly RpcMessage[]): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    if (this.#socket.writableLength > unsentBytesMax + unreadAnswerBytesMax) {
      this.close(socketCloseCodes.tooSlow, 'too slow');
      return;
    }
    this.#ws.send(JSON.stringify(message));
    this.#look();
  }

  /* Output, which is shared with other sockets. False: no more for now. */
  sendChunk(chunk: DataChunk, isBinary: boolean): boolean {
    if (this.#ws.readyState !== this.#ws.OPEN) return false;
    if (isBinary) {
      chunk.hold();
      this.#ws.send(chunk.binary, asBinary, chunk.release);
    } else this.#ws.send(chunk.text, asText);
    return this.#look();
  }

  pong(data: Buffer): void {
    if (this.#ws.readyState !== this.#ws.OPEN || this.#waitingPongs >= waitingPongsMax) return;
    this.#waitingPongs += 1;
    this.#ws.pong(data, false, () => {
      this.#waitingPongs -= 1;
    });
  }

  close(code: number, reason: string): void {
    this.#ws.close(code, reason);
  }

  #look(): boolean {
    if (this.#fullSinceMs === undefined) {
      if (this.#socket.writableLength < unsentBytesMax) return true;
      this.#fullSinceMs = this.#clock.monotonicMs();
    }
    return false;
  }
}

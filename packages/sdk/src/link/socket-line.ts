/*
 * One connection to a socket of the gateway, from its opening to its close: messages in and out, a heartbeat, and an end to one that does
 * not open or has gone silent. What the messages mean is not looked at here.
 */
import type { Clock, Timer } from '@clawdfather/kit';
import type { SessionClientMessage, SocketAuth } from '@clawdfather/protocol/api';
import type { WebSocketLike } from './web-socket-like.ts';

/* As the protocol asks for it. The answer also tells that the line is there. */
export const heartbeatMs = 30_000;
/*
 * A socket can stay in CONNECTING for as long as a browser likes when the network goes in the middle of it. The slowest phone on the slowest network
 * that is of any use is through with TLS and the upgrade by then.
 */
const openingMs = 15_000;
/* What a connection ends with that was lost without a word (RFC 6455). */
export const abnormalClosure = 1006;
const normalClosure = 1000;

export interface SocketEnd {
  readonly code: number;
  readonly reason: string;
  readonly error: unknown;
}

export interface SocketLineDeps {
  readonly socket: WebSocketLike;
  readonly clock: Clock;
  /* Nothing for this long, answers to heartbeats included, is a connection that is gone without a word. */
  readonly silenceMs: number;
  readonly onOpen: () => void;
  readonly onMessage: (data: unknown) => void;
  /* Once, unless it was closed from here. */
  readonly onLost: (end: SocketEnd) => void;
}

export class SocketLine {
  readonly #deps: SocketLineDeps;
  #state: 'opening' | 'open' | 'closed' = 'opening';
  #isPaused = false;
  #heardAtMs: number;
  /* What the socket said before it closed. */
  #failure: unknown;
  #beat: Timer | undefined;
  #silence: Timer | undefined;

  constructor(deps: SocketLineDeps) {
    this.#deps = deps;
    this.#heardAtMs = deps.clock.monotonicMs();
    const { socket } = deps;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => this.#opened());
    socket.addEventListener('message', ({ data }) => this.#receive(data));
    socket.addEventListener('error', ({ error }) => {
      this.#failure = error;
    });
    socket.addEventListener('close', ({ code = abnormalClosure, reason = '' }) =>
      this.#lose({ code, reason, error: this.#failure }),
    );
    this.#watchSilence();
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /* How long nothing was heard of it. */
  get quietMs(): number {
    return this.#deps.clock.monotonicMs() - this.#heardAtMs;
  }

  /* Every message of a run's socket is one of a session's too. */
  send(message: SocketAuth | SessionClientMessage): void {
    if (this.isOpen) this.#deps.socket.send(JSON.stringify(message));
  }

  /* False: this kind of socket cannot. */
  pause(): boolean {
    const { socket } = this.#deps;
    if (socket.pause === undefined || socket.resume === undefined) return false;
    this.#isPaused = true;
    this.#silence?.cancel();
    socket.pause();
    return true;
  }

  resume(): void {
    if (!this.#isPaused || this.#state === 'closed') return;
    this.#isPaused = false;
    // What was said meanwhile waits in it, and the silence was ours.
    this.#heardAtMs = this.#deps.clock.monotonicMs();
    this.#watchSilence();
    this.#deps.socket.resume?.();
  }

  /* Nothing of it is heard any more. */
  close(): void {
    if (this.#state === 'closed') return;
    this.#release();
    const { socket } = this.#deps;
    // A paused one would never hear the answer to its goodbye.
    if (this.#isPaused) socket.resume?.();
    socket.close(normalClosure);
  }

  #opened(): void {
    if (this.#state !== 'opening') return;
    this.#state = 'open';
    this.#heardAtMs = this.#deps.clock.monotonicMs();
    this.#silence?.cancel();
    this.#watchSilence();
    this.#beatLater();
    this.#deps.onOpen();
  }

  #receive(data: unknown): void {
    if (!this.isOpen) return;
    this.#heardAtMs = this.#deps.clock.monotonicMs();
    this.#deps.onMessage(data);
  }

  #beatLater(): void {
    this.#beat = this.#deps.clock.timer(heartbeatMs, () => {
      this.send({ type: 'heartbeat' });
      this.#beatLater();
    });
  }

  /* One timer for many messages: it looks when the last one was, and goes on waiting. */
  #watchSilence(): void {
    const { clock, socket } = this.#deps;
    const { quietMs } = this;
    const patienceMs = this.#state === 'opening' ? openingMs : this.#deps.silenceMs;
    if (quietMs < patienceMs) {
      this.#silence = clock.timer(patienceMs - quietMs, () => this.#watchSilence());
      return;
    }
    cutOff(socket);
    this.#lose({ code: abnormalClosure, reason: 'nothing was heard of it', error: undefined });
  }

  #lose(end: SocketEnd): void {
    if (this.#state === 'closed') return;
    this.#release();
    this.#deps.onLost(end);
  }

  #release(): void {
    this.#state = 'closed';
    this.#beat?.cancel();
    this.#silence?.cancel();
  }
}

function cutOff(socket: WebSocketLike): void {
  if (socket.terminate === undefined) socket.close();
  else socket.terminate();
}

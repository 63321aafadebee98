/*
 * A line to a socket of the gateway that is opened again whenever it is lost: 1, 2, 4, 8, 16, 30, 30 … s later, each a little
 * shorter by chance. What is said over it is not looked at here; what each event means for the line is in next-link.ts.
 *
 * Stages of a connection: 1 a check, where there is one and the line was lost before · 2 the socket · 3 `onOpen`: its user says who it is ·
 * 4 messages, until it is lost · 5 `onDown`, a wait, and again.
 */
import {
  backoffMs,
  type Clock,
  CodedError,
  onAbort,
  type Random,
  type Timer,
} from '@clawdfather/kit';
import type { SessionClientMessage, SocketAuth } from '@clawdfather/protocol/api';
import type { LinkState } from '../follow-events.ts';
import { isWorthRetrying } from '../is-worth-retrying.ts';
import { type Link, type LinkEnd, type LinkEvent, nextLink } from './next-link.ts';
import { abnormalClosure, type SocketEnd, SocketLine } from './socket-line.ts';
import type { OpenSocket, WebSocketLike } from './web-socket-like.ts';

export interface SocketLinkDeps {
  readonly clock: Clock;
  readonly random: Random;
  /* Ends the line with its reason. */
  readonly signal: AbortSignal | undefined;
  readonly url: string;
  /* Default: the global WebSocket. */
  readonly socket: OpenSocket | undefined;
  readonly silenceMs: number;
  /* Whether it is worth coming again, asked before each connection but the first. What it throws counts like a socket that failed. */
  readonly check?: (signal: AbortSignal) => Promise<void>;
  readonly onOpen: () => void;
  /* What it throws ends the line. */
  readonly onMessage: (data: unknown) => void;
  readonly onState: (state: LinkState) => void;
  /* The connection is gone, whether or not another one comes. */
  readonly onDown: () => void;
  /* After the last `onDown`. */
  readonly onOver: (end: LinkEnd) => void;
}

export class SocketLink {
  readonly #deps: SocketLinkDeps;
  #link: Link;
  #line: SocketLine | undefined;
  /* Aborted with the connection that it is for. */
  #check: AbortController | undefined;
  #retry: Timer | undefined;
  #wasLost = false;
  #stopWatching = (): void => {};

  constructor(deps: SocketLinkDeps) {
    this.#deps = deps;
    const { clock } = deps;
    this.#link = { kind: 'connecting', attempt: 0, downSinceMs: clock.monotonicMs() };
  }

  /* Once, after its user can take what comes. */
  open(): void {
    const { signal } = this.#deps;
    const abort = (): void => this.fail(signal?.reason);
    if (signal?.aborted) return abort();
    if (signal !== undefined) this.#stopWatching = onAbort(signal, abort);
    this.#connect(0);
  }

  get state(): Link {
    return this.#link;
  }

  get isOpen(): boolean {
    return this.#line?.isOpen === true;
  }

  /* How long nothing was heard on the connection that there is. */
  get quietMs(): number {
    return this.#line?.quietMs ?? 0;
  }

  send(message: SocketAuth | SessionClientMessage): void {
    this.#line?.send(message);
  }

  /* False: this kind of socket cannot. */
  pause(): boolean {
    return this.#line?.pause() ?? false;
  }

  resume(): void {
    this.#line?.resume();
  }

  heard(): void {
    this.step({ kind: 'heard' });
  }

  refused(refusal: { readonly code: string; readonly message: string }): void {
    const atMs = this.#deps.clock.monotonicMs();
    this.step({ kind: 'refused', code: refusal.code, message: refusal.message, atMs });
  }

  /* The connection may be dead although it looks open: another one takes its place at once. */
  distrust(): void {
    this.step({ kind: 'distrusted', atMs: this.#deps.clock.monotonicMs() });
  }

  /* Its user found that it is of no use any more; what the error means decides whether it is tried again. */
  broken(error: unknown): void {
    this.#lose({ code: abnormalClosure, reason: '', error });
  }

  fail(error: unknown): void {
    this.step({ kind: 'over', end: { kind: 'failed', error } });
  }

  /* The one place that changes the state of the line. */
  step(event: LinkEvent): void {
    const before = this.#link;
    const link = nextLink(before, event);
    this.#link = link;
    if (link === before) return;
    switch (link.kind) {
      case 'connecting':
        this.#letGo(before);
        return this.#connect(link.attempt);
      case 'live':
        if (before.kind !== 'live') this.#deps.onState({ kind: 'live' });
        return;
      case 'lost':
        this.#letGo(before);
        return this.#waitForRetry(link.attempt);
      case 'over':
        this.#letGo(before);
        this.#stopWatching();
        return this.#deps.onOver(link.end);
    }
  }

  #connect(attempt: number): void {
    this.#deps.onState({ kind: 'connecting', attempt });
    // The listener may have closed it.
    if (this.#link.kind !== 'connecting') return;
    const { check } = this.#deps;
    if (check === undefined || !this.#wasLost) return this.#openLine();
    const checking = new AbortController();
    this.#check = checking;
    void check(checking.signal).then(
      () => {
        if (this.#check === checking) this.#openLine();
      },
      (error: unknown) => {
        if (this.#check === checking) this.broken(error);
      },
    );
  }

  #openLine(): void {
    const { clock, url, socket: openSocket = openGlobalSocket, silenceMs } = this.#deps;
    try {
      this.#line = new SocketLine({
        socket: openSocket(url),
        clock,
        silenceMs,
        onOpen: () => this.#deps.onOpen(),
        onMessage: (data) => this.#receive(data),
        onLost: (end) => this.#lose(end),
      });
    } catch (error) {
      // An address that is none, or no WebSocket here: no attempt would go better.
      this.fail(error);
    }
  }

  #receive(data: unknown): void {
    try {
      this.#deps.onMessage(data);
    } catch (error) {
      this.fail(error);
    }
  }

  #lose({ code, reason, error }: SocketEnd): void {
    if (error instanceof CodedError && !isWorthRetrying(error)) return this.fail(error);
    this.step({ kind: 'closed', code, reason, atMs: this.#deps.clock.monotonicMs() });
  }

  #waitForRetry(attempt: number): void {
    const { clock, random, onState } = this.#deps;
    const retryInMs = backoffMs(attempt - 1, random);
    this.#retry = clock.timer(retryInMs, () => this.step({ kind: 'retry' }));
    onState({ kind: 'lost', retryInMs });
  }

  #letGo(before: Link): void {
    this.#wasLost = true;
    this.#retry?.cancel();
    this.#check?.abort(new Error('the line goes on without it'));
    this.#check = undefined;
    this.#line?.close();
    this.#line = undefined;
    // A line that was lost has been told of before.
    if (before.kind !== 'lost') this.#deps.onDown();
  }
}

function openGlobalSocket(url: string): WebSocketLike {
  return new WebSocket(url);
}

/*
 * A session's conversation, live: every event once and in order, over as many connections, restarts and naps of the device as it takes.
 *
 *   const session = openSession({ client, sessionId, after }, { clock, random, onStatus });
 *   for await (const happening of session) …
 *
 * Events have numbers without holes. A connection that comes again asks for what follows the last number; what comes twice is dropped; a
 * hole, whatever made it, is read by `GET threads/:id/events`. The same way serves a reader that is behind: what does not fit is dropped
 * here and read when there is room. So nothing depends on a socket having been told everything.
 *
 * Before it comes again it asks whether the session is still there, since a page cannot see why a socket was refused.
 */
import { createSignalBell, type Timer } from '@clawdfather/kit';
import { socketPaths } from '@clawdfather/protocol/api/names';
import type { Client } from '../client.ts';
import type { FollowOptions, LinkState } from '../follow-events.ts';
import type { ThreadEvent } from '../follow-thread.ts';
import type { GatewayRestart } from '../gateway-watch.ts';
import { createEventQueue } from '../link/event-queue.ts';
import type { LinkEnd } from '../link/next-link.ts';
import { refusedError } from '../link/refused-error.ts';
import { heartbeatMs } from '../link/socket-line.ts';
import { SocketLink } from '../link/socket-link.ts';
import { socketUrl } from '../link/socket-url.ts';
import type { OpenSocket } from '../link/web-socket-like.ts';
import { parseSessionMessage, type SessionHeard } from './parse-session-message.ts';
import { type SessionStatus, sessionStatus, unableMs } from './session-status.ts';

export interface SessionToFollow {
  readonly client: Client;
  readonly sessionId: string;
  /* The number of the last event that was seen, 0 for none. Absent: only what comes from now on. */
  readonly after?: number;
}

export interface SessionOptions extends Omit<FollowOptions, 'onLink'> {
  /* Default: the global WebSocket. */
  readonly socket?: OpenSocket;
  /* At every change. */
  readonly onStatus?: (status: SessionStatus) => void;
}

export type SessionHappening =
  | { readonly kind: 'event'; readonly event: ThreadEvent }
  /* Events from and to these numbers are no longer kept. */
  | { readonly kind: 'gap'; readonly from: number; readonly to: number }
  /* The numbers begin anew: the gateway has an older state than we have seen, say after a restore. */
  | { readonly kind: 'reset' }
  | ({ readonly kind: 'restarted' } & GatewayRestart)
  /* The session is over. Nothing follows. */
  | { readonly kind: 'closed'; readonly reason: string; readonly message: string };

export interface SessionLine extends AsyncIterable<SessionHappening>, Disposable {
  /* For one reader, who closes the line by leaving the loop. `closed` is the last; a refusal is thrown. */
  [Symbol.asyncIterator](): AsyncGenerator<SessionHappening, void, undefined>;
  readonly status: SessionStatus;
  /* The number of the last event that was handed on or waits for the reader. */
  readonly seq: number | undefined;
  /* A person asks for the next attempt now. */
  retryNow(): void;
  /*
   * The page is seen again, or was restored, after so long: an open socket that may have died meanwhile is replaced at once, and a lost one is not
   * waited for. For `visibilitychange`, `pageshow`, `focus` and `online`.
   */
  wake(hiddenMs?: number): void;
  /* What the device says of its network. */
  online(isOnline: boolean): void;
  /* The session goes on. */
  close(): void;
}

/* Three heartbeats without an answer. */
const staleMs = 3 * heartbeatMs;
/* A nap of this length may have cost the connection without a word. */
const hiddenMsMax = 10_000;
const pageEvents = 500;

export function openSession(session: SessionToFollow, options: SessionOptions): SessionLine {
  return new LiveSession(session, options);
}

class LiveSession implements SessionLine {
  readonly #session: SessionToFollow;
  readonly #options: SessionOptions;
  readonly #link: SocketLink;
  readonly #queue = createEventQueue<SessionHappening>({
    bytesOf: charactersOf,
    onFull: () => {},
    onRoom: () => {
      this.#room.ring();
      this.#fill();
    },
  });
  readonly #room = createSignalBell();
  readonly #events: AsyncGenerator<SessionHappening, void, undefined>;
  readonly #leaving = new AbortController();
  readonly #forgetGateway: () => void;
  #threadId: string | undefined;
  #seq: number | undefined;
  /* The number that the gateway is known to have reached. */
  #reachedSeq = 0;
  #filling: Promise<void> | undefined;
  #closed: Extract<SessionHappening, { kind: 'closed' }> | undefined;
  #retryInMs: number | undefined;
  #isOnline = true;
  #isRestarted = false;
  #told: SessionStatus | undefined;
  #unable: Timer | undefined;

  constructor(session: SessionToFollow, options: SessionOptions) {
    this.#session = session;
    this.#options = options;
    this.#seq = session.after;
    this.#events = this.#read();
    const { client, sessionId } = session;
    const { clock, random, signal, socket } = options;
    this.#forgetGateway = client.gateway.onRestart((restart) => this.#restarted(restart));
    this.#link = new SocketLink({
      clock,
      random,
      signal,
      socket,
      url: socketUrl(client.connection, socketPaths.session, sessionId),
      silenceMs: staleMs,
      check: (checking) => this.#check(checking),
      onOpen: () => this.#greet(),
      onMessage: (data) => this.#hear(parseSessionMessage(data)),
      onState: (state) => this.#noteState(state),
      onDown: () => {},
      onOver: (end) => void this.#finish(end),
    });
    this.#link.open();
  }

  [Symbol.asyncIterator](): AsyncGenerator<SessionHappening, void, undefined> {
    return this.#events;
  }

  get status(): SessionStatus {
    return sessionStatus({
      link: this.#link.state,
      retryInMs: this.#retryInMs,
      isOnline: this.#isOnline,
      isRestarted: this.#isRestarted,
      nowMs: this.#options.clock.monotonicMs(),
    });
  }

  get seq(): number | undefined {
    return this.#seq;
  }

  retryNow(): void {
    this.#link.step({ kind: 'retry-now' });
  }

  wake(hiddenMs = 0): void {
    const isDoubtful = hiddenMs > hiddenMsMax || this.#link.quietMs > 2 * heartbeatMs;
    if (this.#link.state.kind === 'lost') this.retryNow();
    else if (isDoubtful) this.#link.distrust();
  }

  online(isOnline: boolean): void {
    this.#isOnline = isOnline;
    if (isOnline) this.wake();
    this.#tell();
  }

  close(): void {
    this.#queue.clear();
    this.#link.step({ kind: 'over', end: { kind: 'left' } });
    // It may be over already, and still read what is left.
    this.#leaving.abort(new Error('the line was closed'));
    this.#queue.end();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async *#read(): AsyncGenerator<SessionHappening, void, undefined> {
    try {
      yield* this.#queue.read();
    } finally {
      this.close();
    }
  }

  async #check(signal: AbortSignal): Promise<void> {
    const { client, sessionId } = this.#session;
    const { session } = await client.sessions.get({ params: { id: sessionId } }, { signal });
    if (session.status === 'active' || session.status === 'pending') return;
    const message = session.error?.message ?? 'the session is closed';
    this.#sessionOver(session.close_reason ?? 'error', message);
  }

  #greet(): void {
    const { token } = this.#session.client.connection;
    this.#link.send({
      type: 'auth',
      ...(token === undefined ? {} : { token }),
      ...(this.#seq === undefined ? {} : { resume_from: this.#seq }),
    });
  }

  #hear(heard: SessionHeard): void {
    switch (heard.kind) {
      case 'session':
        return this.#attached(heard);
      case 'event':
        this.#link.heard();
        return this.#take(heard.event);
      case 'gap':
        return this.#skip(heard);
      case 'closed':
        return this.#sessionOver(heard.reason, heard.message);
      case 'refused':
        return this.#link.refused(heard);
      case 'beat':
        return this.#link.heard();
      case 'nothing':
    }
  }

  #attached({ thread, gateway }: Extract<SessionHeard, { kind: 'session' }>): void {
    if (gateway !== undefined) this.#session.client.gateway.note(gateway);
    if (thread !== undefined) {
      this.#threadId = thread.id;
      this.#reachedSeq = thread.lastSeq;
      this.#seq ??= thread.lastSeq;
      if (thread.lastSeq < this.#seq) return this.#beginAnew();
    }
    this.#link.step({ kind: 'attached' });
    this.#caughtUp();
  }

  #beginAnew(): void {
    this.#seq = 0;
    this.#queue.push({ kind: 'reset' });
    this.#link.distrust();
  }

  #take(event: ThreadEvent): void {
    const { seq } = event;
    this.#reachedSeq = Math.max(this.#reachedSeq, seq);
    const at = this.#seq ?? seq - 1;
    if (seq <= at) return;
    const isNext = seq === at + 1 && this.#filling === undefined && !this.#queue.isFull;
    if (!isNext) return this.#fill();
    this.#seq = seq;
    this.#queue.push({ kind: 'event', event });
    this.#caughtUp();
  }

  #skip({ from, to }: Extract<SessionHeard, { kind: 'gap' }>): void {
    if (to <= (this.#seq ?? 0) || this.#filling !== undefined) return;
    this.#seq = to;
    this.#queue.push({ kind: 'gap', from, to });
  }

  #caughtUp(): void {
    if (this.#isRestarted && (this.#seq ?? 0) >= this.#reachedSeq) this.#isRestarted = false;
    this.#tell();
  }

  get #isBehind(): boolean {
    return (this.#seq ?? 0) < this.#reachedSeq;
  }

  /* Reads what is missing between what we have and what the gateway has reached. */
  #fill(): void {
    const isOver = this.#link.state.kind === 'over';
    if (this.#filling !== undefined || this.#queue.isFull || !this.#isBehind || isOver) return;
    this.#filling = this.#readMissing(() => !this.#queue.isFull).then(
      () => {
        this.#filling = undefined;
        this.#caughtUp();
        // What came meanwhile was left for the next look.
        this.#fill();
      },
      (error: unknown) => {
        this.#filling = undefined;
        // Another connection brings it, or says why not.
        this.#link.broken(error);
      },
    );
  }

  /* While there is room for it. */
  async #readMissing(mayGoOn: () => boolean): Promise<void> {
    const { client } = this.#session;
    const { signal } = this.#leaving;
    const id = this.#threadId;
    // Its name comes with the next connection.
    if (id === undefined) throw new Error('a hole in a conversation that has no name yet');
    while (this.#isBehind && mayGoOn()) {
      const query = { after: this.#seq ?? 0, limit: pageEvents };
      const { items } = await client.threads.events({ params: { id }, query }, { signal });
      for (const event of items) this.#add(event);
      if (items.length > 0) continue;
      // It was there, and is there no longer.
      this.#queue.push({ kind: 'gap', from: (this.#seq ?? 0) + 1, to: this.#reachedSeq });
      this.#seq = this.#reachedSeq;
    }
  }

  #add(event: ThreadEvent): void {
    const at = this.#seq ?? 0;
    if (event.seq <= at) return;
    if (event.seq > at + 1) this.#queue.push({ kind: 'gap', from: at + 1, to: event.seq - 1 });
    this.#seq = event.seq;
    this.#queue.push({ kind: 'event', event });
  }

  #restarted(restart: GatewayRestart): void {
    this.#isRestarted = true;
    this.#queue.push({ kind: 'restarted', ...restart });
    this.#tell();
  }

  #sessionOver(reason: string, message: string): void {
    this.#closed = { kind: 'closed', reason, message };
    this.#link.step({ kind: 'over', end: { kind: 'ended' } });
  }

  async #finish(end: LinkEnd): Promise<void> {
    this.#unable?.cancel();
    this.#forgetGateway();
    this.#tell();
    if (end.kind === 'ended') await this.#readTheRest();
    this.#leaving.abort(new Error('the line is over'));
    if (end.kind === 'refused') this.#queue.end({ error: refusedError(end) });
    else if (end.kind === 'failed') this.#queue.end({ error: end.error });
    else this.#queue.end();
  }

  /* The end of a session can overtake the last events of its thread. */
  async #readTheRest(): Promise<void> {
    const { client } = this.#session;
    const { signal } = this.#leaving;
    try {
      await this.#filling;
      if (this.#threadId !== undefined && this.#seq !== undefined) {
        const { thread } = await client.threads.get({ params: { id: this.#threadId } }, { signal });
        this.#reachedSeq = Math.max(this.#reachedSeq, thread.last_seq);
        while (this.#isBehind) {
          if (this.#queue.isFull) await this.#room.wait(signal);
          await this.#readMissing(() => !this.#queue.isFull);
        }
      }
    } catch {
      // The gateway is away: what is missing can be read later, from `seq` on. The end of the session is known.
    }
    if (this.#closed !== undefined) this.#queue.push(this.#closed);
  }

  #noteState(state: LinkState): void {
    this.#retryInMs = state.kind === 'lost' ? state.retryInMs : undefined;
    this.#tell();
  }

  /* Tells a change, and looks again when a minute is over. */
  #tell(): void {
    const { clock, onStatus } = this.#options;
    const link = this.#link.state;
    this.#unable?.cancel();
    if (link.kind === 'connecting' || link.kind === 'lost') {
      const leftMs = link.downSinceMs + unableMs - clock.monotonicMs();
      if (leftMs > 0) this.#unable = clock.timer(leftMs, () => this.#tell());
    }
    const { status } = this;
    if (JSON.stringify(status) === JSON.stringify(this.#told)) return;
    this.#told = status;
    onStatus?.(status);
  }
}

function charactersOf(one: SessionHappening): number {
  if (one.kind !== 'event') return 0;
  const { text } = one.event.payload;
  // Most of what comes is text, and need not be written out to be weighed.
  return typeof text === 'string' ? text.length : JSON.stringify(one.event.payload).length;
}

/*
 * The events of a session's thread, over one socket, each once and in order: what is stored after the last number sent.
 *
 * While the socket is full nothing is read; a client that was away resumes by number, here or on another gateway.
 */
import type { AccountStore, ThreadEvent } from '@clawdfather/store';
import { formatTime } from '../http/format-time.ts';
import { eventsPerRead } from './limits.ts';
import type { Outbox } from './outbox.ts';
import type { SessionLook } from './session-watch.ts';

export interface EventPumpOptions {
  readonly account: AccountStore;
  readonly outbox: Outbox;
  /* The client's own choice; undefined follows the newest thread, and goes on to one that is newer. */
  readonly threadId: string | undefined;
  readonly resumeFrom: number | undefined;
  readonly look: SessionLook;
  /* The session is over, and everything was sent. */
  readonly onClosed: (look: SessionLook) => void;
  readonly onFailed: (error: unknown) => void;
}

export class EventPump {
  readonly #options: EventPumpOptions;
  #look: SessionLook;
  #threadId: string | undefined;
  #sentSeq: number;
  #isPumping = false;
  #isAsked = false;
  #isClosed = false;

  constructor(options: EventPumpOptions) {
    this.#options = options;
    this.#look = options.look;
    this.#threadId = options.threadId ?? options.look.threads[0]?.id;
    this.#sentSeq = Math.min(options.resumeFrom ?? this.lastSeq, this.lastSeq);
  }

  get threadId(): string | undefined {
    return this.#threadId;
  }

  /* Of what there is, not of what was sent. */
  get lastSeq(): number {
    return this.#look.threads.find(({ id }) => id === this.#threadId)?.lastSeq ?? 0;
  }

  changed(look: SessionLook): void {
    this.#look = look;
    this.pump();
  }

  /* Also when the socket has room again. */
  pump(): void {
    this.#isAsked = true;
    if (this.#isPumping || this.#isClosed) return;
    this.#isPumping = true;
    this.#run()
      .catch((error: unknown) => {
        if (!this.#isClosed) this.#options.onFailed(error);
      })
      .finally(() => {
        this.#isPumping = false;
      });
  }

  close(): void {
    this.#isClosed = true;
  }

  async #run(): Promise<void> {
    while (this.#isAsked && !this.#isClosed) {
      this.#isAsked = false;
      while (this.#sentSeq < this.lastSeq && this.#canSend()) await this.#sendSome();
      if (this.#sentSeq < this.lastSeq || !this.#canSend()) continue;
      if (this.#goToNewer()) this.#isAsked = true;
      else if (this.#look.session.endedAtMs !== undefined) this.#options.onClosed(this.#look);
    }
  }

  #canSend(): boolean {
    return !this.#isClosed && !this.#options.outbox.isFull;
  }

  async #sendSome(): Promise<void> {
    const { account, outbox } = this.#options;
    const threadId = this.#threadId ?? '';
    const events = await account.events.read({
      threadId,
      afterSeq: this.#sentSeq,
      limit: eventsPerRead,
    });
    const [first] = events;
    if (first === undefined) throw new Error('events are missing that the thread counts');
    if (first.seq > this.#sentSeq + 1 && this.#canSend()) {
      outbox.send({ type: 'gap', from: this.#sentSeq + 1, to: first.seq - 1 });
    }
    for (const event of events) {
      if (!this.#canSend()) return;
      outbox.send(messageOf(threadId, event));
      this.#sentSeq = event.seq;
    }
  }

  #goToNewer(): boolean {
    const newest = this.#look.threads[0]?.id;
    if (this.#options.threadId !== undefined || newest === this.#threadId) return false;
    this.#threadId = newest;
    this.#sentSeq = 0;
    return newest !== undefined;
  }
}

function messageOf(threadId: string, event: ThreadEvent) {
  return {
    type: 'event',
    seq: event.seq,
    thread_id: threadId,
    turn_id: event.turnId ?? null,
    kind: event.type,
    payload: event.payload,
    at: formatTime(event.createdAtMs),
  } as const;
}

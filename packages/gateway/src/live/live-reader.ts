/*
 * One reader of a run's output: in the window with the others while it can keep up, alone in the journal while it cannot.
 * Its states are `nextReader`'s; `#apply` is the one place that changes them.
 *
 * The seam: alone, it reads up to an edge of the window and not one byte further (cut-at-edge.ts), so that the chunk it takes next from
 * the window begins where it stands. What it has not handed over when its socket is full is forgotten and read again.
 */
import { type Clock, createSignalBell } from '@clawdfather/kit';
import { compareCursors, type Cursor, type ManagedRun } from '@clawdfather/supervisor';
import type { Chunk } from './chunk.ts';
import { createChunkBuilder } from './chunk-builder.ts';
import { cutAtEdge, slicesOf } from './cut-at-edge.ts';
import { keptTurnMs } from './limits.ts';
import type { FeedEnd, FeedReader, LiveFeed } from './live-feed.ts';
import { nextReader, type ReaderEvent, type ReaderState } from './next-reader.ts';
import type { RoomPool } from './room-pool.ts';
import type { Turns } from './turns.ts';

/* Where a reader's output goes. */
export interface Sink {
  /* False: no more until `drained` is called. A data chunk is good until this returns, unless it is held. */
  send(chunk: Chunk): boolean;
  /* The run has ended, and everything was sent. */
  ended(): void;
  /* It cannot be read on here, for whatever reason. */
  lost(error: unknown): void;
}

export interface LiveReaderOptions {
  readonly run: ManagedRun;
  readonly from: Cursor;
  readonly sink: Sink;
  readonly pool: RoomPool;
  /* Resolves when the next piece may be sent. */
  readonly pace: () => Promise<void>;
  readonly clock: Clock;
  /* The run's feed, if it has one. */
  readonly feed: () => LiveFeed | undefined;
  /* Opens the feed. The caller has to join at once; a feed without readers would go on reading. */
  readonly openFeed: (cursor: Cursor) => LiveFeed;
  /* For readers that read by themselves. */
  readonly turns: Turns;
  readonly onDone: () => void;
}

export class LiveReader implements FeedReader {
  readonly #options: LiveReaderOptions;
  readonly #stop = new AbortController();
  /* Rung when the state may be another. */
  readonly #changed = createSignalBell();
  #state: ReaderState = 'reading';
  #cursor: Cursor;
  #feed: LiveFeed | undefined;
  #isReadingOn = false;
  #isAsked = false;
  number = 0;

  constructor(options: LiveReaderOptions) {
    this.#options = options;
    this.#cursor = options.from;
  }

  get state(): ReaderState {
    return this.#state;
  }

  get isHungry(): boolean {
    return this.#state === 'live' && this.number === this.#feed?.window.next;
  }

  start(): void {
    void this.#readOn();
  }

  drained(): void {
    this.#apply('drained');
    this.#changed.ring();
    if (this.#state === 'live') {
      this.wake();
      this.#feed?.look();
    } else if (this.#state === 'reading') void this.#readOn();
  }

  wake(): void {
    if (this.#state === 'reading') {
      this.#wakeAhead();
      return;
    }
    const feed = this.#feed;
    while (feed !== undefined && this.#state === 'live') {
      const chunk = feed.window.at(this.number);
      if (chunk === undefined) break;
      this.number += 1;
      this.#send(chunk);
    }
    if (feed?.end === undefined || this.number < feed.window.next || !this.#isInWindow()) return;
    this.#finish(feed.end);
  }

  overtaken(): void {
    this.#apply('overtaken');
    this.#leave();
    if (this.#state === 'reading') void this.#readOn();
  }

  close(): void {
    if (this.#state === 'done') return;
    this.#apply('finished');
    this.#stop.abort();
    this.#changed.ring();
    this.#leave();
    this.#options.onDone();
  }

  #apply(event: ReaderEvent): void {
    this.#state = nextReader(this.#state, event);
  }

  #finish(end: FeedEnd): void {
    this.close();
    if (end.kind === 'ended') this.#options.sink.ended();
    else this.#options.sink.lost(end.error);
  }

  /* It stands beyond the window's head, and the head has moved. */
  #wakeAhead(): void {
    const feed = this.#feed;
    if (feed === undefined) return;
    if (compareCursors(feed.window.head, this.#cursor) >= 0) void this.#readOn();
    else if (feed.end !== undefined) this.#finish(feed.end);
    else feed.await(this);
  }

  #isInWindow(): boolean {
    return this.#state === 'live' || this.#state === 'waiting';
  }

  #send(chunk: Chunk): void {
    this.#cursor = chunk.after;
    if (!this.#options.sink.send(chunk)) this.#apply('full');
  }

  #leave(): void {
    const feed = this.#feed;
    this.#feed = undefined;
    feed?.leave(this);
    feed?.look();
  }

  #tryJoin(feed: LiveFeed): boolean {
    const number = feed.window.numberAt(this.#cursor);
    if (number === undefined) return false;
    this.#apply('joined');
    this.#feed = feed;
    this.number = number;
    feed.join(this);
    this.wake();
    return true;
  }

  async #readOn(): Promise<void> {
    // Asked while it is on its way out, it has to look once more.
    this.#isAsked = true;
    if (this.#isReadingOn) return;
    this.#isReadingOn = true;
    try {
      while (this.#state === 'reading' && this.#isAsked) {
        this.#isAsked = false;
        if (!(await this.#readUntilJoined())) this.#isAsked = true;
      }
    } catch (error) {
      if (this.#state === 'done') return;
      this.close();
      this.#options.sink.lost(error);
    } finally {
      this.#isReadingOn = false;
    }
  }

  /* True when there is nothing to do until this reader is woken. */
  async #readUntilJoined(): Promise<boolean> {
    const { feed: findFeed, openFeed, turns } = this.#options;
    const feed = findFeed() ?? openFeed(this.#cursor);
    if (this.#tryJoin(feed)) return true;
    using _turn = await turns.take();
    // The feed may have been deserted while others had their turn, or while this reader had its own.
    if (this.#state === 'reading' && findFeed() === feed) await this.#readAlone(feed);
    if (this.#state !== 'reading') return true;
    if (findFeed() !== feed || feed.window.numberAt(this.#cursor) !== undefined) return false;
    if (compareCursors(feed.window.head, this.#cursor) >= 0) return false;
    this.#feed = feed;
    this.#wakeAhead();
    return true;
  }

  /* Up to the window, the journal's end or the socket's cap, whatever comes first. */
  async #readAlone(feed: LiveFeed): Promise<void> {
    const { run, pool } = this.#options;
    const { signal } = this.#stop;
    const builder = createChunkBuilder({
      runId: run.runId,
      from: this.#cursor,
      pool,
      emit: (chunk) => {
        this.#send(chunk);
        if (chunk.kind === 'data') chunk.release();
      },
    });
    let edge = feed.window.edgeAfter(this.#cursor);
    // Up to an edge everything is there already, so nothing has to be waited for, and memory may be lent.
    const events =
      edge === undefined
        ? run.outputSoFar(this.#cursor, signal)
        : run.outputLent(this.#cursor, signal);
    for await (const whole of events) {
      for (const event of slicesOf(builder.position, whole)) {
        const sentTo = this.#cursor;
        const cut = edge === undefined ? undefined : cutAtEdge(builder.position, event, edge);
        builder.add(cut ?? event);
        if (cut !== undefined) {
          // A socket that has become full with the last chunk has taken that one all the same.
          if (await this.#isReadingStill()) builder.flush();
          return;
        }
        if (!(await this.#isReadingStill())) return;
        if (sentTo === this.#cursor) continue;
        await this.#options.pace();
        edge = feed.window.edgeAfter(builder.position) ?? edge;
      }
    }
    builder.flush();
  }

  /* A full socket is waited for, but not for long: others want to read. */
  async #isReadingStill(): Promise<boolean> {
    if (this.#state !== 'behind') return this.#state === 'reading';
    const late = new AbortController();
    const timer = this.#options.clock.timer(keptTurnMs, () => late.abort());
    try {
      while (this.#state === 'behind') await this.#changed.wait(late.signal);
    } catch {
      // It was too long; what is pending is read again.
    } finally {
      timer.cancel();
    }
    return this.state === 'reading';
  }
}

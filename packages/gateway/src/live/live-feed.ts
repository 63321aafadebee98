/*
 * The one journal reader of a run, and the window that it fills for all live readers.
 *
 * Pace: it goes as fast as its fastest reader. While some reader has taken everything, those for whom the window is too small
 * are overtaken, after a moment's patience; while none has, it waits. So one reader that is fast is never slowed by others, and one reader that is
 * alone is never overtaken, however slow it is.
 */
import { type Clock, createSignalBell } from '@clawdfather/kit';
import type { Cursor, ManagedRun } from '@clawdfather/supervisor';
import type { Chunk } from './chunk.ts';
import { type ChunkBuilder, createChunkBuilder } from './chunk-builder.ts';
import { type ChunkWindow, createChunkWindow } from './chunk-window.ts';
import { patienceMs, takenBytesMax, windowBytesMax } from './limits.ts';
import type { RoomPool } from './room-pool.ts';

export type FeedEnd =
  /* The run has ended, and all it said is in the window or was. */
  { readonly kind: 'ended' } | { readonly kind: 'lost'; readonly error: unknown };

export interface FeedReader {
  /* Number of the chunk that it takes next. */
  readonly number: number;
  /* It has taken everything and could take more. */
  readonly isHungry: boolean;
  /* There is more, or the end. */
  wake(): void;
  /* The window moves on without it; it is no longer among the readers. */
  overtaken(): void;
}

export interface FeedOptions {
  readonly run: ManagedRun;
  readonly from: Cursor;
  readonly pool: RoomPool;
  readonly clock: Clock;
  /* Resolves when the next piece may be sent. */
  readonly pace: () => Promise<void>;
  /* The last reader has left, and the feed is closed. */
  readonly onDeserted: () => void;
}

export class LiveFeed {
  readonly window: ChunkWindow;
  readonly #options: FeedOptions;
  readonly #stop = new AbortController();
  readonly #room = createSignalBell();
  readonly #readers = new Set<FeedReader>();
  /* They stand beyond the window's head. */
  readonly #ahead = new Set<FeedReader>();
  #end: FeedEnd | undefined;
  #isGrown = false;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.window = createChunkWindow(options.from);
  }

  get end(): FeedEnd | undefined {
    return this.#end;
  }

  start(): void {
    this.#pump().then(
      () => this.#finish({ kind: 'ended' }),
      (error: unknown) => this.#finish({ kind: 'lost', error }),
    );
  }

  join(reader: FeedReader): void {
    this.#readers.add(reader);
  }

  /* Woken once, when the window has moved. */
  await(reader: FeedReader): void {
    this.#ahead.add(reader);
    this.#room.ring();
  }

  leave(reader: FeedReader): void {
    this.#readers.delete(reader);
    this.#ahead.delete(reader);
  }

  /* A reader has room again, or has gone. */
  look(): void {
    this.#trim();
    this.#room.ring();
    const isDeserted = this.#readers.size === 0 && this.#ahead.size === 0;
    if (!isDeserted || this.#stop.signal.aborted) return;
    this.#stop.abort();
    this.#options.onDeserted();
  }

  async #pump(): Promise<void> {
    const { run, from, pool, pace } = this.#options;
    const { signal } = this.#stop;
    const emit = (chunk: Chunk): void => this.#push(chunk);
    const builder = createChunkBuilder({ runId: run.runId, from, pool, emit });
    const flushSoon = createFlush(builder, signal);
    for await (const event of run.outputLent(from, signal)) {
      builder.add(event);
      if (builder.hasPending) flushSoon();
      if (!this.#isGrown) continue;
      this.#isGrown = false;
      // Sockets are served in between, however fast the journal is.
      await pace();
      await this.#makeRoom();
    }
    builder.flush();
  }

  #push(chunk: Chunk): void {
    this.#isGrown = true;
    this.window.push(chunk);
    this.#wakeAll();
  }

  #finish(end: FeedEnd): void {
    if (this.#stop.signal.aborted) return;
    this.#end = end;
    this.#wakeAll();
  }

  #wakeAll(): void {
    // A set that changes while it is walked does no harm here: who joins has just looked, who left does nothing.
    for (const reader of this.#readers) reader.wake();
    const ahead = [...this.#ahead];
    this.#ahead.clear();
    for (const reader of ahead) reader.wake();
    this.#trim();
  }

  /* Waits while no reader wants more; then a little for the slowest one; then goes on without it. */
  async #makeRoom(): Promise<void> {
    const { signal } = this.#stop;
    while (this.window.bytes >= windowBytesMax) {
      if (!this.#isWanted()) await this.#room.wait(signal);
      else if (await this.#isFirstTaken()) this.#trim();
      else this.#overtake();
    }
  }

  /* By all readers, within the patience there is. */
  async #isFirstTaken(): Promise<boolean> {
    const { signal } = this.#stop;
    let isLate = false;
    const timer = this.#options.clock.timer(patienceMs, () => {
      isLate = true;
      this.#room.ring();
    });
    try {
      while (this.#isFirstNeeded()) {
        if (isLate) return false;
        await this.#room.wait(signal);
      }
      return true;
    } finally {
      timer.cancel();
    }
  }

  #isFirstNeeded(): boolean {
    const { first } = this.window;
    for (const { number } of this.#readers) if (number === first) return true;
    return false;
  }

  #overtake(): void {
    const { first } = this.window;
    for (const reader of this.#readers) {
      if (reader.number !== first) continue;
      this.#readers.delete(reader);
      reader.overtaken();
    }
    // The last reader to leave may have trimmed it already; later chunks are still wanted by another.
    if (this.window.first === first) this.window.dropFirst();
  }

  #isWanted(): boolean {
    if (this.#ahead.size > 0) return true;
    for (const reader of this.#readers) if (reader.isHungry) return true;
    return false;
  }

  /* Chunks that all readers have taken are kept for a moment, for a reader that is only a little late. */
  #trim(): void {
    const { window } = this;
    if (window.bytes <= takenBytesMax) return;
    let needed = window.next;
    for (const { number } of this.#readers) needed = Math.min(needed, number);
    while (window.bytes > takenBytesMax && window.first < needed) window.dropFirst();
  }
}

/* What is less than a chunk goes out at the end of this turn of the event loop, together with what else came in it. */
function createFlush(builder: ChunkBuilder, signal: AbortSignal): () => void {
  let isComing = false;
  return () => {
    if (isComing) return;
    isComing = true;
    setImmediate(() => {
      isComing = false;
      if (!signal.aborted) builder.flush();
    });
  };
}

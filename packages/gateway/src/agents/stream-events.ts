/*
 * The events of a thread as server-sent events: everything after a number, then what comes. Each has its number as id, so a reader that
 * comes back, to this gateway or another, goes on exactly there.
 */
import type { EventRow, ThreadRecords } from '@clawdfather/agents';
import { type Clock, createSignalBell, type Log, type SignalBell } from '@clawdfather/kit';
import type { EventDesk } from '@clawdfather/threads';
import type { FastifyReply } from 'fastify';
import { type EventStream, formatEvent, openEventStream } from '../runs/event-stream.ts';
import { showEvent } from './show-thread.ts';

export interface EventsDeps {
  readonly records: Pick<ThreadRecords, 'events'>;
  readonly desk: EventDesk;
  readonly clock: Clock;
  readonly log: Log;
}

export interface EventsRequest {
  readonly threadId: string;
  readonly after: number;
  readonly reply: FastifyReply;
  /* Called with what cuts the stream off, before anything is sent; may refuse it by throwing. */
  readonly onOpen: (drop: () => void) => () => void;
}

/* Another gateway of the same database may have added something, of which nobody tells us here. */
const lookMs = 1_000;
const pageEvents = 200;

/* Resolves when the thread has an event after this number, or the time is up. */
export async function waitForEvent(
  { records, desk, clock }: EventsDeps,
  { threadId, after, waitMs }: { threadId: string; after: number; waitMs: number },
  signal: AbortSignal,
): Promise<void> {
  const bell = createSignalBell();
  const stop = desk.follow(threadId, () => bell.ring());
  const untilMs = clock.monotonicMs() + waitMs;
  try {
    while (clock.monotonicMs() < untilMs) {
      if ((await records.events(threadId, { after, limit: 1 })).length > 0) return;
      await untilNews(bell, { clock, signal });
    }
  } finally {
    stop();
  }
}

export async function streamEvents(deps: EventsDeps, request: EventsRequest): Promise<void> {
  const { threadId, reply } = request;
  const forget = request.onOpen(() => reply.raw.destroy());
  const stream = openEventStream(reply, deps.clock);
  try {
    await sendAll(deps, stream, request);
  } catch (error) {
    // The reader is gone or was too slow. It comes back with its last id, and misses nothing.
    if (!stream.signal.aborted) deps.log.warn('thread.stream-failed', { threadId, error });
    stream.drop();
  } finally {
    forget();
  }
}

async function sendAll(
  { records, desk, clock }: EventsDeps,
  stream: EventStream,
  { threadId, after }: EventsRequest,
): Promise<void> {
  const { signal } = stream;
  const bell = createSignalBell();
  let told: EventRow[] = [];
  /* In the database: at the beginning, after a page of it, and where another process has added something. */
  let mayHaveMore = true;
  const stop = desk.follow(threadId, ({ events }) => {
    if (events.length === 0) mayHaveMore = true;
    told.push(...events);
    bell.ring();
  });
  signal.addEventListener('abort', stop, { once: true });
  const drained = createSignalBell();
  stream.onDrained(() => drained.ring());
  let at = after;
  for (;;) {
    // What was told is sent as it is when it follows on; whatever does not is read.
    const next = told.filter(({ seq }) => seq > at);
    told = [];
    const isNext = next[0]?.seq === at + 1;
    const isRead: boolean = !isNext && (mayHaveMore || next.length > 0);
    const page: readonly EventRow[] = isRead
      ? await records.events(threadId, { after: at, limit: pageEvents })
      : next;
    if (isRead) mayHaveMore = page.length > 0;
    for (const event of page) {
      const data = showEvent(event);
      const isRoom = stream.send(formatEvent({ event: event.type, id: String(event.seq), data }));
      at = event.seq;
      if (!isRoom) await drained.wait(signal);
    }
    if (page.length > 0 || mayHaveMore) continue;
    if (await untilNews(bell, { clock, signal })) mayHaveMore = true;
  }
}

/* Until the bell rings, or it is time to look: then it is true. */
async function untilNews(
  bell: SignalBell,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<boolean> {
  let isTime = false;
  const timer = clock.timer(lookMs, () => {
    isTime = true;
    bell.ring();
  });
  try {
    await bell.wait(signal);
    return isTime;
  } finally {
    timer.cancel();
  }
}

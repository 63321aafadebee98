/*
 * Follows a thread: every event after a number, in order, each once; then what comes, for as long as the reader is there.
 *
 * The desk tells what was added here, and that is handed on as it is when it follows on. Whatever does not (the beginning, what another
 * gateway of the same database has added, what came while the reader was behind) is read from the database by its number. So every wire that shows a thread
 * (server-sent events, sockets) shows the same numbers, and a reader that comes back goes on exactly where it was, at any gateway.
 */
import type { EventRow, ThreadRecords } from '@clawdfather/agents';
import { type Clock, createSignalBell, type SignalBell } from '@clawdfather/kit';
import type { EventDesk } from '@clawdfather/threads';

export interface ThreadFollowerDeps {
  readonly records: Pick<ThreadRecords, 'events'>;
  readonly desk: EventDesk;
  readonly clock: Clock;
}

export interface ThreadPlace {
  readonly threadId: string;
  /* The number of the last event that the reader has; 0 for none. */
  readonly after: number;
}

/* Takes one event. A promise: the reader is full, and no more comes until it resolves. */
export type EventSink = (event: EventRow) => Promise<void> | undefined;

/* Another gateway of the same database may have added something, of which nobody tells us here. */
const lookMs = 1_000;
const pageEvents = 200;

/* Rejects with the signal's reason, or with what the sink or the database threw. It does not end by itself. */
export async function followThreadEvents(
  { records, desk, clock }: ThreadFollowerDeps,
  { place, sink }: { readonly place: ThreadPlace; readonly sink: EventSink },
  signal: AbortSignal,
): Promise<never> {
  const { threadId } = place;
  const bell = createSignalBell();
  let told: EventRow[] = [];
  /* In the database: at the beginning, after a page of it, and where another process has added something. */
  let mayHaveMore = true;
  const stop = desk.follow(threadId, ({ events }) => {
    // What a slow reader does not take in time is read later; it is not kept for it here.
    const isRoom = told.length + events.length <= pageEvents;
    if (events.length === 0 || !isRoom) mayHaveMore = true;
    if (isRoom) told.push(...events);
    bell.ring();
  });
  try {
    let at = place.after;
    for (;;) {
      signal.throwIfAborted();
      const fresh = told.filter(({ seq }) => seq > at);
      told = [];
      // Between two that were told may be one of another gateway: what does not follow on is read.
      const next = followingOn(fresh, at);
      if (next.length < fresh.length) mayHaveMore = true;
      const isRead: boolean = next.length === 0 && mayHaveMore;
      // Before it is read: what is told meanwhile counts.
      if (isRead) mayHaveMore = false;
      const page: readonly EventRow[] = isRead
        ? await records.events(threadId, { after: at, limit: pageEvents })
        : next;
      if (isRead && page.length > 0) mayHaveMore = true;
      for (const event of page) {
        signal.throwIfAborted();
        const room = sink(event);
        at = event.seq;
        if (room !== undefined) await room;
      }
      if (page.length > 0 || mayHaveMore) continue;
      if (await untilNews(bell, { clock, signal })) mayHaveMore = true;
    }
  } finally {
    stop();
  }
}

function followingOn(events: readonly EventRow[], after: number): readonly EventRow[] {
  const next: EventRow[] = [];
  for (const event of events) {
    if (event.seq === after + next.length + 1) next.push(event);
  }
  return next;
}

/* Resolves when the thread has an event after this number, or the time is up. */
export async function waitForEvent(
  { records, desk, clock }: ThreadFollowerDeps,
  { threadId, after, waitMs }: ThreadPlace & { readonly waitMs: number },
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

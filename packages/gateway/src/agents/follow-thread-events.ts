/*
 * Follows a thread (live/follow-numbered.ts): every wire that shows a thread (server-sent events, sockets) shows the same numbers.
 */
import type { EventRow, ThreadRecords } from '@clawdfather/agents';
import type { Clock } from '@clawdfather/kit';
import type { EventDesk } from '@clawdfather/threads';
import {
  followNumbered,
  type NumberedRows,
  type RowSink,
  waitForNumber,
} from '../live/follow-numbered.ts';

export interface ThreadFollowerDeps {
  readonly records: Pick<ThreadRecords, 'events' | 'get'>;
  readonly desk: EventDesk;
  readonly clock: Clock;
}

export interface ThreadPlace {
  readonly threadId: string;
  /* The number of the last event that the reader has; 0 for none. */
  readonly after: number;
}

export type EventSink = RowSink<EventRow>;

export function eventsOfThread(
  { records, desk }: Omit<ThreadFollowerDeps, 'clock'>,
  threadId: string,
): NumberedRows<EventRow> {
  return {
    read: (after, limit) => records.events(threadId, { after, limit }),
    follow: (listener) => desk.follow(threadId, ({ events }) => listener(events)),
  };
}

/*
 * Rejects with the signal's reason, or with what the sink or the database threw. It does not end by itself.
 *
 * A number that the thread has not reached counts as the newest one: who has it from a database that was restored since, or made it up,
 * would otherwise hear nothing until the thread is there.
 */
export async function followThreadEvents(
  deps: ThreadFollowerDeps,
  { place, sink }: { readonly place: ThreadPlace; readonly sink: EventSink },
  signal: AbortSignal,
): Promise<never> {
  const { threadId } = place;
  const newest = (await deps.records.get(threadId))?.lastSeq ?? 0;
  const after = Math.min(place.after, newest);
  const rows = eventsOfThread(deps, threadId);
  return followNumbered({ rows, clock: deps.clock }, { after, sink }, signal);
}

/* Resolves when the thread has an event after this number, or the time is up. */
export function waitForEvent(
  deps: ThreadFollowerDeps,
  { threadId, ...wait }: ThreadPlace & { readonly waitMs: number },
  signal: AbortSignal,
): Promise<void> {
  const rows = eventsOfThread(deps, threadId);
  return waitForNumber({ rows, clock: deps.clock }, wait, signal);
}

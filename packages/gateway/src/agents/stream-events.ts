/*
 * The events of a thread as server-sent events: everything after a number, then what comes. Each has its number as id, so a reader that
 * comes back, to this gateway or another, goes on exactly there.
 */
import { createSignalBell, type Log } from '@clawdfather/kit';
import type { FastifyReply } from 'fastify';
import { formatEvent, openEventStream } from '../runs/event-stream.ts';
import {
  followThreadEvents,
  type ThreadFollowerDeps,
  type ThreadPlace,
} from './follow-thread-events.ts';
import { showEvent } from './show-thread.ts';

export interface EventsDeps extends ThreadFollowerDeps {
  readonly log: Log;
}

export interface EventsRequest extends ThreadPlace {
  readonly reply: FastifyReply;
  /* Called with what cuts the stream off, before anything is sent; may refuse it by throwing. */
  readonly onOpen: (drop: () => void) => () => void;
}

export async function streamEvents(deps: EventsDeps, request: EventsRequest): Promise<void> {
  const { threadId, after, reply } = request;
  const forget = request.onOpen(() => reply.raw.destroy());
  const stream = openEventStream(reply, deps.clock);
  const { signal } = stream;
  const drained = createSignalBell();
  stream.onDrained(() => drained.ring());
  const place = { threadId, after };
  try {
    await followThreadEvents(
      deps,
      {
        place,
        sink: (event) => {
          const data = showEvent(event);
          const { type, seq } = event;
          const isRoom = stream.send(formatEvent({ event: type, id: String(seq), data }));
          return isRoom ? undefined : drained.wait(signal);
        },
      },
      signal,
    );
  } catch (error) {
    // The reader is gone or was too slow. It comes back with its last id, and misses nothing.
    if (!signal.aborted) deps.log.warn('thread.stream-failed', { threadId, error });
    stream.drop();
  } finally {
    forget();
  }
}

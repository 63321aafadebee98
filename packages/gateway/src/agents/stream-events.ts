/*
 * The events of a thread as server-sent events.
 */
import type { Log } from '@clawdfather/kit';
import { type StreamRequest, streamNumbered } from '../live/stream-numbered.ts';
import { formatEvent } from '../runs/event-stream.ts';
import {
  eventsOfThread,
  type ThreadFollowerDeps,
  type ThreadPlace,
} from './follow-thread-events.ts';
import { showEvent } from './show-thread.ts';

export interface EventsDeps extends ThreadFollowerDeps {
  readonly log: Log;
}

export type EventsRequest = ThreadPlace & Pick<StreamRequest<never>, 'reply' | 'onOpen' | 'first'>;

export function streamEvents(
  deps: EventsDeps,
  { threadId, ...request }: EventsRequest,
): Promise<void> {
  return streamNumbered(deps, {
    ...request,
    rows: eventsOfThread(deps, threadId),
    format: (event) =>
      formatEvent({ event: event.type, id: String(event.seq), data: showEvent(event) }),
    onFailed: (error) => deps.log.warn('thread.stream-failed', { threadId, error }),
  });
}

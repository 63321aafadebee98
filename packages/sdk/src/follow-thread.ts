/*
 * Everything that happens in a thread, from a number on, over as many connections as it takes. A thread has no end of its own: whoever
 * follows it leaves when the turn that matters has ended.
 */
import { type AnswerOf, type Api, api } from '@clawdfather/protocol/api';
import type { Client } from './client.ts';
import { SdkError } from './errors.ts';
import { followEvents, type FollowOptions } from './follow-events.ts';

const { events: endpoint } = api.threads;
const eventSchema = endpoint.answer.shape.items.element;

export type ThreadEvent = AnswerOf<Api['threads']['events']>['items'][number];

export interface ThreadToFollow {
  readonly client: Client;
  readonly threadId: string;
  /* The number of the last event that was seen. Absent: from the beginning. */
  readonly after?: number;
  /* The gateway has an older state than was seen, say after a restore. All that it has is told anew, from the first number on. */
  readonly onReset?: () => void;
}

export async function* followThread(
  { client, threadId, after = 0, onReset }: ThreadToFollow,
  options: FollowOptions,
): AsyncGenerator<ThreadEvent, void, undefined> {
  const input = {
    endpoint,
    params: { id: threadId },
    lastEvents: [],
    lastId: String(after),
  };
  let seen = after;
  for await (const { name, data } of followEvents(client.connection, input, options)) {
    if (name === 'reset') {
      seen = 0;
      onReset?.();
      continue;
    }
    // A newer gateway may send more than this client knows.
    if (!isKnown(name)) continue;
    const event = parseEvent(name, data);
    // A gateway that does not know the place where we were begins anew; what was seen is not seen twice.
    if (event.seq <= seen) continue;
    seen = event.seq;
    yield event;
  }
}

function isKnown(name: string): boolean {
  return eventSchema.shape.type.safeParse(name).success;
}

function parseEvent(name: string, data: string): ThreadEvent {
  try {
    return eventSchema.parse(JSON.parse(data));
  } catch (cause) {
    throw new SdkError('answer-invalid', `an event "${name}" that is not as documented`, { cause });
  }
}

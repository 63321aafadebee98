/*
 * Everything that happens in an account, from a number on, over as many connections as it takes. It has no end of its own.
 *
 * Events are kept for a while. Where some are missing, because they were removed or because the database was restored to a time before
 * them, a gap comes first: whoever shows the state of the account reads it anew (the inbox, the threads), and goes on from `to`.
 */
import { type AnswerOf, type Api, api } from '@clawdfather/protocol/api';
import type { Client } from './client.ts';
import { SdkError } from './errors.ts';
import { followEvents, type FollowOptions } from './follow-events.ts';

const { list: endpoint } = api.events;
const { items, gap: gapSchema } = endpoint.answer.shape;

export type AccountEvent = AnswerOf<Api['events']['list']>['items'][number];
export type AccountGap = NonNullable<AnswerOf<Api['events']['list']>['gap']>;

export type AccountHappening =
  | { readonly kind: 'event'; readonly event: AccountEvent }
  | { readonly kind: 'gap'; readonly gap: AccountGap };

export interface AccountToFollow {
  readonly client: Client;
  /* The number of the last event that was seen, such as the `seq` of an inbox. Absent: from the oldest that is kept. */
  readonly after?: number;
}

export async function* followAccount(
  { client, after = 0 }: AccountToFollow,
  options: FollowOptions,
): AsyncGenerator<AccountHappening, void, undefined> {
  const input = { endpoint, lastEvents: [], lastId: String(after) };
  let seen = after;
  for await (const { name, data } of followEvents(client.connection, input, options)) {
    if (name === 'gap') {
      const gap = parse(data, (json) => gapSchema.parse(json));
      if (gap === null) continue;
      // It may lead back: numbers that were seen are given anew then.
      seen = gap.to;
      yield { kind: 'gap', gap };
      continue;
    }
    // A newer gateway may send more than this client knows.
    if (!items.element.shape.type.safeParse(name).success) continue;
    const event = parse(data, (json) => items.element.parse(json));
    if (event.seq <= seen) continue;
    seen = event.seq;
    yield { kind: 'event', event };
  }
}

function parse<Parsed>(data: string, as: (json: unknown) => Parsed): Parsed {
  try {
    return as(JSON.parse(data));
  } catch (cause) {
    throw new SdkError('answer-invalid', 'an event that is not as documented', { cause });
  }
}

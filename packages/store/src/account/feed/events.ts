/*
 * Reading an account's events by their number (news.ts writes them).
 */
import type { AccountContext, AccountId } from '../../context.ts';
import type { AccountEventsTable } from '../../schema/feed-tables.ts';
import { type RecordOf, toRecord } from '../../schema/record.ts';
import { createSelect } from '../../select.ts';

export type AccountEvent = Omit<RecordOf<AccountEventsTable>, 'accountId' | 'key'>;

export interface EventsHead {
  /** The number of the newest one; 0: there was none yet. */
  readonly seq: number;
  /** The oldest that is kept. */
  readonly keptFromSeq: number;
}

export interface AccountEvents {
  head(): Promise<EventsHead>;
  /** After this number, in order. */
  list(range: { readonly after: number; readonly limit: number }): Promise<readonly AccountEvent[]>;
}

export function createAccountEvents({ runner, accountId }: AccountContext): AccountEvents {
  return {
    head: async () => {
      const [row] = await runner.select(selectHead, { accountId });
      return { seq: row?.seq ?? 0, keptFromSeq: row?.kept_from_seq ?? 1 };
    },
    list: async ({ after, limit }) =>
      (await runner.select(selectAccountEvents, { accountId, after, limit })).map(toRecord),
  };
}

export const selectHead = createSelect((db, { accountId }: { readonly accountId: AccountId }) =>
  db
    .selectFrom('account_event_heads')
    .select(['seq', 'kept_from_seq'])
    .where('account_id', '=', accountId),
);

interface EventsWanted {
  readonly accountId: AccountId;
  readonly after: number;
  readonly limit: number;
}

export const selectAccountEvents = createSelect((db, { accountId, after, limit }: EventsWanted) =>
  db
    .selectFrom('account_events')
    .select(['seq', 'type', 'thread_id', 'subject_id', 'payload_json', 'at_ms'])
    .where('account_id', '=', accountId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit),
);

/*
 * Reading a thread back over HTTP.
 */
import type { Api } from '@clawdfather/protocol/api';
import type { Store } from '@clawdfather/store';
import { buildPage } from '../history/build-page.ts';
import { compressed } from '../history/compressed.ts';
import { notFound } from '../http/api-error.ts';
import { formatTime } from '../http/format-time.ts';
import type { Handlers } from '../http/handlers.ts';

export interface HistoryParts {
  readonly store: Store;
}

export function createHistoryHandlers({ store }: HistoryParts): Handlers<Api['history']> {
  return {
    page: async (call) => {
      const { threads, history } = store.forAccount(call.caller.accountId);
      const thread = await threads.get(call.params.id);
      if (thread === undefined) throw notFound();
      const { lastSeq: newestSeq, id: threadId } = thread;
      const { before = newestSeq + 1, limit } = call.query;
      // What was added since the thread was read is on the next newest page.
      const below = Math.min(before, newestSeq + 1);
      const page = await buildPage(history, { threadId, before: below, limit });
      return compressed(call, {
        thread_id: threadId,
        blocks: [...page.blocks] as never,
        first_seq: page.firstSeq ?? null,
        last_seq: page.lastSeq ?? null,
        has_more: page.hasMore,
        gaps: [...page.gaps],
        newest_seq: newestSeq,
      });
    },
    event: async ({ caller, params, query }) => {
      const { history } = store.forAccount(caller.accountId);
      const { seq, id } = params;
      const event = await history.eventText(id, { seq, ...query });
      if (event === undefined) throw notFound();
      const { characters, text, turnId, type, atMs } = event;
      const end = query.offset + query.limit;
      return {
        seq,
        turn_id: turnId ?? null,
        type,
        at: formatTime(atMs),
        characters,
        offset: query.offset,
        json: text,
        next_offset: end < characters ? end : null,
      };
    },
  };
}

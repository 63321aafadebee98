/*
 * How far a person has looked at a thread: one number per thread and account, the same on all their devices. It only grows.
 */
import type { AccountContext } from '../../context.ts';
import { writeNews } from './news.ts';

export interface SeenMarkers {
  /** How far it is now: the higher of the two, and never beyond the newest event. */
  mark(threadId: string, seq: number): Promise<number | undefined>;
}

export function createSeenMarkers(context: AccountContext): SeenMarkers {
  const { runner, accountId } = context;
  return {
    mark: (threadId, seq) =>
      runner.writeRepeatable(async (db) => {
        const thread = await db
          .selectFrom('threads')
          .select(['seen_seq', 'last_seq'])
          .where('account_id', '=', accountId)
          .where('id', '=', threadId)
          .executeTakeFirst();
        if (thread === undefined) return undefined;
        const next = Math.min(seq, thread.last_seq);
        if (next <= thread.seen_seq) return thread.seen_seq;
        await db
          .updateTable('threads')
          .set({ seen_seq: next })
          .where('account_id', '=', accountId)
          .where('id', '=', threadId)
          .execute();
        await writeNews(db, context, {
          events: [{ type: 'seen', threadId, subjectId: threadId, payload: { seq: next } }],
          resolves: [{ as: 'seen', threadId, classes: ['done', 'failed'], threadSeqMax: next }],
        });
        return next;
      }),
  };
}

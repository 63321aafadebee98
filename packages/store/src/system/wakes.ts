/*
 * Turns that have ended, and whose end another thread is to be told. That one is due is in the row of the turn, written in the
 * transaction that ends it; that it was told is written afterwards, by whoever told it.
 */
import type { WakeRecords } from '@clawdfather/agents';
import type { QueryContext } from '../context.ts';
import { createSelect } from '../select.ts';
import { parseAccountId } from './accounts.ts';

export function createWakes({ runner }: Pick<QueryContext, 'runner'>): WakeRecords {
  return {
    due: async (limit, skip = 0) =>
      (await runner.select(selectDue, { limit, skip })).map((row) => ({
        accountId: parseAccountId(row.account_id),
        turnId: row.id,
        threadId: row.thread_id,
        wakeId: row.wake_id,
      })),
    settle: async ({ accountId, turnId }, outcome) => {
      await runner.writeRepeatable((db) =>
        db
          .updateTable('turns')
          .set({ wake_outcome: outcome })
          .where('account_id', '=', accountId)
          .where('id', '=', turnId)
          .where('wake_outcome', 'is', null)
          .execute(),
      );
    },
  };
}

interface DuePage {
  readonly limit: number;
  readonly skip: number;
}

export const selectDue = createSelect((db, { limit, skip }: DuePage) =>
  db
    .selectFrom('turns')
    .select(['account_id', 'id', 'thread_id', 'wake_id'])
    .where('wake_id', 'is not', null)
    .where('wake_outcome', 'is', null)
    .where('ended_at_ms', 'is not', null)
    .orderBy('ended_at_ms')
    .orderBy('account_id')
    .orderBy('id')
    .limit(limit)
    .offset(skip)
    .$narrowType<{ wake_id: string }>(),
);

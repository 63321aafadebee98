/*
 * Turns over all accounts, for the one queue: what waits, in the order it came, and what was under way when a gateway stopped.
 */
import type { Turn } from '../account/turns.ts';
import type { AccountId, QueryContext } from '../context.ts';
import { toRecord } from '../schema/record.ts';
import { parseAccountId } from './accounts.ts';

export type QueuedTurn = Turn & { readonly accountId: AccountId };

export interface TurnQueue {
  /** Oldest first. The limit is the queue's own; a full one refuses before it writes. */
  list(input: {
    status: 'queued' | 'running';
    agent?: string;
    limit: number;
  }): Promise<readonly QueuedTurn[]>;
}

export function createTurnQueue({ runner }: QueryContext): TurnQueue {
  return {
    list: ({ status, agent, limit }) =>
      runner.read(async (db) => {
        let query = db
          .selectFrom('turns')
          .selectAll()
          .where('ended_at_ms', 'is', null)
          .where('status', '=', status);
        if (agent !== undefined) query = query.where('agent', '=', agent);
        const rows = await query.orderBy('queued_at_ms').orderBy('id').limit(limit).execute();
        return rows.map((row) => ({
          ...toRecord(row),
          accountId: parseAccountId(row.account_id),
        }));
      }),
  };
}

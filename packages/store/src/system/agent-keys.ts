/*
 * Who an agent's key is, by its SHA-256. A key is good while its run is: there is nothing to revoke, and nothing expires by a clock.
 */
import type { AgentKeys } from '@clawdfather/agents';
import { sql } from 'kysely';
import type { QueryContext } from '../context.ts';
import { createSelect } from '../select.ts';
import { parseAccountId } from './accounts.ts';

export function createAgentKeys({ runner }: Pick<QueryContext, 'runner'>): AgentKeys {
  return {
    find: async (keyHash) => {
      const [row] = await runner.select(selectHolder, { keyHash });
      return (
        row && {
          accountId: parseAccountId(row.account_id),
          runId: row.run_id,
          threadId: row.thread_id,
        }
      );
    },
  };
}

const selectHolder = createSelect((db, { keyHash }: { readonly keyHash: string }) =>
  db
    .selectFrom('agent_keys as key')
    .innerJoin('agent_runs as run', (join) =>
      join.onRef('run.account_id', '=', 'key.account_id').onRef('run.run_id', '=', 'key.run_id'),
    )
    .innerJoin('accounts as account', 'account.id', 'key.account_id')
    .select(['key.account_id', 'key.run_id', 'run.thread_id'])
    .where('key.key_hash', '=', keyHash)
    .where('run.ended_at_ms', 'is', null)
    .where('run.state', '=', sql.lit('open'))
    .where('account.disabled_at_ms', 'is', null),
);

/*
 * What the agents of an account ask for themselves: threads that they spawn, and the keys by which they are known.
 */
import type { AgentSessionRecords } from '@clawdfather/agents';
import type { AccountContext } from '../context.ts';
import { spawnThread } from './threads/create.ts';

export type AgentSessions = AgentSessionRecords;

export function createAgentSessions(context: AccountContext): AgentSessions {
  const { runner, accountId, clock } = context;
  return {
    spawn: (child, audit) => spawnThread(context, child, audit),
    putKey: (runId, keyHash) =>
      runner.writeRepeatable(async (db) => {
        const run = await db
          .selectFrom('agent_runs')
          .select('run_id')
          .where('account_id', '=', accountId)
          .where('run_id', '=', runId)
          .where('ended_at_ms', 'is', null)
          .executeTakeFirst();
        if (run === undefined) return false;
        const created_at_ms = clock.wallMs();
        await db
          .insertInto('agent_keys')
          .values({ account_id: accountId, run_id: runId, key_hash: keyHash, created_at_ms })
          .onConflict((conflict) =>
            conflict
              .columns(['account_id', 'run_id'])
              .doUpdateSet({ key_hash: keyHash, created_at_ms }),
          )
          .execute();
        return true;
      }),
  };
}

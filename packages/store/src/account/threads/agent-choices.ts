/*
 * What agents let people choose: the newest that a session of each has said, on each host. It is written with the change of the thread
 * whose agent said it, so that it can be offered before there is a session.
 */
import type { Offered, ThreadChange, ThreadRows } from '@clawdfather/agents';
import type { AccountContext } from '../../context.ts';
import type { Database } from '../../engine.ts';
import { formatJson, parseJson } from '../../schema/json-text.ts';
import { createSelect } from '../../select.ts';

interface Wanted {
  readonly accountId: string;
  readonly connectionId: string;
  readonly agent: string;
}

const selectOffered = createSelect((db, { accountId, connectionId, agent }: Wanted) =>
  db
    .selectFrom('agent_choices')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('connection_id', '=', connectionId)
    .where('agent', '=', agent),
);

export async function readOffered(
  { runner, accountId }: AccountContext,
  agent: string,
  connectionId = '',
): Promise<Offered | undefined> {
  const [row] = await runner.select(selectOffered, { accountId, connectionId, agent });
  return row && { choices: parseJson(row.choices_json), seenAtMs: row.seen_at_ms };
}

/** Only where a change brings something new. What a run begins with is not said by its agent. */
export async function writeOffered(
  db: Database,
  { accountId, clock }: AccountContext,
  { before, change }: { readonly before: ThreadRows; readonly change: ThreadChange },
): Promise<void> {
  const { choices, phase } = change.rows.run ?? {};
  if (choices === undefined || choices === before.run?.choices || phase === 'starting') return;
  const { agent, connectionId = '' } = change.rows.thread;
  if (connectionId !== '' && !(await isThere(db, accountId, connectionId))) return;
  const columns = { choices_json: formatJson(choices), seen_at_ms: clock.wallMs() };
  await db
    .insertInto('agent_choices')
    .values({ account_id: accountId, connection_id: connectionId, agent, ...columns })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'connection_id', 'agent']).doUpdateSet(columns),
    )
    .execute();
}

/** Its agent may say something in the moment in which it is removed. */
async function isThere(db: Database, accountId: string, connectionId: string): Promise<boolean> {
  const row = await db
    .selectFrom('ssh_connections')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', connectionId)
    .where('deleted_at_ms', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** In the transaction that removes the connection: nobody can begin anything there any more. */
export async function forgetOffered(
  db: Database,
  accountId: string,
  connectionId: string,
): Promise<void> {
  await db
    .deleteFrom('agent_choices')
    .where('account_id', '=', accountId)
    .where('connection_id', '=', connectionId)
    .execute();
}

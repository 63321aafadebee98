/*
 * The keys of connections as rows, changed by what packages/ssh decides; and the end of keys that no connection needs any more.
 */
import type { ConnectionKeys, ConnectionKeysEvent, NextConnectionKeys } from '@clawdfather/ssh';
import type { AccountContext, AccountId } from '../context.ts';
import type { Database } from '../engine.ts';

/** What stands in the place of a private half that is gone. No envelope; nothing opens it. */
const erased = 'erased';

export interface KeysRow {
  readonly keypair_id: string;
  readonly next_keypair_id: string | null;
}

export function keysOf({ keypair_id: keypairId, next_keypair_id: next }: KeysRow): ConnectionKeys {
  return next === null
    ? { kind: 'settled', keypairId }
    : { kind: 'changing', keypairId, nextKeypairId: next };
}

export function rowOf(keys: ConnectionKeys): KeysRow {
  return {
    keypair_id: keys.keypairId,
    next_keypair_id: keys.kind === 'changing' ? keys.nextKeypairId : null,
  };
}

export const noTest = {
  tested_at_ms: null,
  test_result: null,
  test_latency_ms: null,
  test_cause: null,
} as const;

/** All connections that have this key, now or next. The ids of those that changed. A key that is no longer proven clears the test. */
export async function changeKeys(
  db: Database,
  accountId: AccountId,
  {
    keypairId,
    event,
    nextKeys,
  }: {
    readonly keypairId: string;
    readonly event: ConnectionKeysEvent;
    readonly nextKeys: NextConnectionKeys;
  },
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const row of await connectionsOf(db, accountId, keypairId)) {
    const next = rowOf(nextKeys(keysOf(row), event));
    const isOther = next.keypair_id !== row.keypair_id;
    if (!isOther && next.next_keypair_id === row.next_keypair_id) continue;
    await db
      .updateTable('ssh_connections')
      .set({ ...next, ...(isOther ? noTest : {}) })
      .where('account_id', '=', accountId)
      .where('id', '=', row.id)
      .execute();
    changed.push(row.id);
  }
  return changed;
}

/** By two queries: each has its index. */
async function connectionsOf(db: Database, accountId: AccountId, keypairId: string) {
  const living = db
    .selectFrom('ssh_connections')
    .select(['id', 'keypair_id', 'next_keypair_id'])
    .where('account_id', '=', accountId)
    .where('deleted_at_ms', 'is', null);
  const present = await living.where('keypair_id', '=', keypairId).orderBy('id').execute();
  const coming = await living.where('next_keypair_id', '=', keypairId).orderBy('id').execute();
  return [...present, ...coming.filter((row) => row.keypair_id !== keypairId)];
}

/** Rotated keys that no connection has any more: their private halves are erased. */
export async function retireUnused(
  db: Database,
  { accountId, clock }: Pick<AccountContext, 'accountId' | 'clock'>,
): Promise<void> {
  await db
    .updateTable('agent_keypairs')
    .set({ status: 'revoked', private_enc: erased, ended_at_ms: clock.wallMs() })
    .where('account_id', '=', accountId)
    .where('status', '=', 'rotated')
    .where('id', 'not in', (eb) =>
      eb
        .selectFrom('ssh_connections')
        .select('keypair_id')
        .where('account_id', '=', accountId)
        .where('deleted_at_ms', 'is', null),
    )
    .execute();
}

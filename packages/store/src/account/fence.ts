/*
 * The epoch of a session's lease, read in the transaction that goes on to write: E1 makes the two one moment.
 */
import type { Database } from '../engine.ts';

export async function readEpoch(
  db: Database,
  accountId: string,
  sessionId: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('session_leases')
    .select('epoch')
    .where('account_id', '=', accountId)
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return row?.epoch;
}

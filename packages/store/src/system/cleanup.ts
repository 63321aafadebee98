/*
 * Removing what has expired, a bounded number of rows per call: whoever calls comes again.
 */
import { sql } from 'kysely';
import type { QueryContext } from '../context.ts';
import { cleanupRowsMax } from '../limits.ts';

export interface Cleanup {
  /** Rows removed, by table. Revoked and expired devices and tokens go too; the audit log keeps what they did. */
  removeExpired(): Promise<Readonly<Record<string, number>>>;
}

/* Table, its time, and its key. */
const expiring = [
  ['oauth_states', 'expires_at_ms', ['state_hash']],
  ['login_links', 'expires_at_ms', ['link_hash']],
  ['idempotency_keys', 'expires_at_ms', ['account_id', 'key']],
  ['rate_limits', 'window_ends_at_ms', ['scope', 'subject']],
  ['app_sessions', 'expires_at_ms', ['account_id', 'id']],
  ['api_tokens', 'expires_at_ms', ['account_id', 'id']],
] as const;

export function createCleanup({ runner, clock }: QueryContext): Cleanup {
  return {
    removeExpired: async () => {
      const removed: Record<string, number> = {};
      for (const [table, time, key] of expiring) {
        const keys = sql.join(key.map((column) => sql.ref(column)));
        const { numAffectedRows } = await runner.write((db) =>
          sql`DELETE FROM ${sql.table(table)} WHERE (${keys}) IN (
            SELECT ${keys} FROM ${sql.table(table)}
            WHERE ${sql.ref(time)} <= ${clock.wallMs()} LIMIT ${cleanupRowsMax}
          )`.execute(db),
        );
        removed[table] = Number(numAffectedRows ?? 0n);
      }
      return removed;
    },
  };
}

/*
 * What an account has set for itself; without a row, the defaults.
 */
import { type AuditEntry, auditedWrite, changed } from '../audit.ts';
import type { AccountContext } from '../context.ts';
import type { Database } from '../engine.ts';
import { StoreError } from '../errors.ts';
import { idleTimeoutMs, idleTimeoutMsMax, idleTimeoutMsMin } from '../limits.ts';
import { formatJson, parseJson } from '../schema/json-text.ts';
import type { JsonObject } from '../schema/tables.ts';

export interface Settings {
  readonly idleTimeoutMs: number;
  readonly notifications: JsonObject;
}

export interface SettingsQueries {
  get(): Promise<Settings>;
  update(input: { settings: Partial<Settings>; audit: AuditEntry }): Promise<Settings>;
}

export function createSettings(context: AccountContext): SettingsQueries {
  const { runner, accountId, clock } = context;
  return {
    get: () => runner.read((db) => read(db, accountId)),
    update: ({ settings, audit }) =>
      auditedWrite(context, audit, async (db) => {
        const next = { ...(await read(db, accountId)), ...settings };
        if (next.idleTimeoutMs < idleTimeoutMsMin || next.idleTimeoutMs > idleTimeoutMsMax) {
          throw new StoreError('value-invalid', 'the idle timeout is out of bounds', {
            detail: { field: 'idleTimeoutMs', min: idleTimeoutMsMin, max: idleTimeoutMsMax },
          });
        }
        const columns = {
          idle_timeout_ms: next.idleTimeoutMs,
          notifications_json: formatJson(next.notifications),
          updated_at_ms: clock.wallMs(),
        };
        await db
          .insertInto('settings')
          .values({ account_id: accountId, ...columns })
          .onConflict((conflict) => conflict.column('account_id').doUpdateSet(columns))
          .execute();
        return changed(next, accountId);
      }),
  };
}

async function read(db: Database, accountId: string): Promise<Settings> {
  const row = await db
    .selectFrom('settings')
    .select(['idle_timeout_ms', 'notifications_json'])
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (row === undefined) return { idleTimeoutMs, notifications: {} };
  return {
    idleTimeoutMs: row.idle_timeout_ms,
    notifications: parseJson(row.notifications_json),
  };
}

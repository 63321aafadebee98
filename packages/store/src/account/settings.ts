/*
 * What an account has set for itself; without a row, the defaults.
 */
import { type AuditEntry, auditedWrite, changed } from '../audit.ts';
import type { AccountContext, AccountId } from '../context.ts';
import type { Database } from '../engine.ts';
import { StoreError } from '../errors.ts';
import { idleTimeoutMs, idleTimeoutMsMax, idleTimeoutMsMin } from '../limits.ts';
import { formatJson, parseJson } from '../schema/json-text.ts';
import type { JsonObject, SettingsTable } from '../schema/tables.ts';
import { createSelect } from '../select.ts';

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
    get: async () => {
      const [row] = await runner.select(selectSettings, { accountId });
      return settingsOf(row);
    },
    update: ({ settings, audit }) =>
      auditedWrite(context, audit, async (db) => {
        const next = {
          ...settingsOf(await whereSettings(db, accountId).executeTakeFirst()),
          ...settings,
        };
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

const selectSettings = createSelect((db, { accountId }: { readonly accountId: AccountId }) =>
  whereSettings(db, accountId),
);

function whereSettings(db: Database, accountId: AccountId) {
  return db
    .selectFrom('settings')
    .select(['idle_timeout_ms', 'notifications_json'])
    .where('account_id', '=', accountId);
}

function settingsOf(
  row: Pick<SettingsTable, 'idle_timeout_ms' | 'notifications_json'> | undefined,
): Settings {
  if (row === undefined) return { idleTimeoutMs, notifications: {} };
  return {
    idleTimeoutMs: row.idle_timeout_ms,
    notifications: parseJson(row.notifications_json),
  };
}

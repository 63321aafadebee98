/*
 * Audit entries, written in the transaction of what they record.
 *
 * `auditedWrite` is the way to write: it takes the entry before the work, and the work has to say whether it changed anything.
 * An entry without a change, or a change without its entry, is not expressible.
 */
import type { AccountContext, AccountId } from './context.ts';
import type { Database } from './engine.ts';
import { checkText, formatJson } from './schema/json-text.ts';
import type { JsonObject } from './schema/tables.ts';

export interface AuditEntry {
  /** Such as `session.close`. */
  readonly action: string;
  /** Who: a device or token by its id, `cleanup`, `cli`. */
  readonly actor: string;
  readonly target?: string;
  readonly ip?: string;
  readonly traceId?: string;
  /** No secrets, no output, no prompts. */
  readonly detail?: JsonObject;
}

export type Change<Value> =
  | { readonly isChanged: true; readonly value: Value; readonly target: string }
  | { readonly isChanged: false; readonly value: Value };

export function changed<const Value>(value: Value, target: string): Change<Value> {
  return { isChanged: true, value, target };
}

export function unchanged<const Value>(value: Value): Change<Value> {
  return { isChanged: false, value };
}

export async function auditedWrite<Value>(
  context: AccountContext,
  audit: AuditEntry,
  work: (db: Database) => Promise<Change<Value>>,
): Promise<Value> {
  return await context.runner.write(async (db) => {
    const change = await work(db);
    if (change.isChanged) {
      await insertAudit(db, context, { target: change.target, ...audit });
    }
    return change.value;
  });
}

/** The entry's number, which is the account's next one. */
export async function insertAudit(
  db: Database,
  { accountId, clock }: { readonly accountId: AccountId; readonly clock: { wallMs(): number } },
  entry: AuditEntry,
): Promise<number> {
  const { seq } = await db
    .insertInto('audit_heads')
    .values({ account_id: accountId, seq: 1 })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet((eb) => ({ seq: eb('audit_heads.seq', '+', 1) })),
    )
    .returning('seq')
    .executeTakeFirstOrThrow();
  await db
    .insertInto('audit_log')
    .values({
      account_id: accountId,
      seq,
      action: checkText('action', entry.action),
      actor: checkText('actor', entry.actor),
      target: entry.target ?? null,
      ip: entry.ip ?? null,
      trace_id: entry.traceId ?? null,
      detail_json: entry.detail === undefined ? null : formatJson(entry.detail),
      at_ms: clock.wallMs(),
    })
    .execute();
  return seq;
}

/*
 * Reading an account's audit log, newest first, by cursor: entries are only ever added, so a page never shifts.
 */
import { type AuditEntry, insertAudit } from '../audit.ts';
import { type AccountContext, limitOf } from '../context.ts';
import { type RecordOf, toRecord } from '../schema/record.ts';
import type { AuditLogTable } from '../schema/tables.ts';

export type AuditRecord = RecordOf<AuditLogTable>;

export interface AuditPage {
  readonly entries: readonly AuditRecord[];
  readonly hasMore: boolean;
  /** `before` of the next page. */
  readonly nextBefore: number | undefined;
}

export interface AuditLog {
  list(query?: { before?: number; action?: string; limit?: number }): Promise<AuditPage>;
  /** For what changes no row of ours, such as a refused sign-in. */
  record(entry: AuditEntry): Promise<number>;
}

export function createAuditLog(context: AccountContext): AuditLog {
  const { runner, accountId } = context;
  return {
    list: ({ before, action, limit } = {}) =>
      runner.read(async (db) => {
        const count = limitOf({ limit });
        let query = db.selectFrom('audit_log').selectAll().where('account_id', '=', accountId);
        if (before !== undefined) query = query.where('seq', '<', before);
        if (action !== undefined) query = query.where('action', '=', action);
        const rows = await query
          .orderBy('seq', 'desc')
          .limit(count + 1)
          .execute();
        const entries = rows.slice(0, count).map(toRecord);
        const hasMore = rows.length > count;
        return { entries, hasMore, nextBefore: hasMore ? entries.at(-1)?.seq : undefined };
      }),
    record: (entry) => runner.write((db) => insertAudit(db, context, entry)),
  };
}

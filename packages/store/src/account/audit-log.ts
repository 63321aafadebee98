/*
 * Reading an account's audit log, newest first, by cursor: entries are only ever added, so a page never shifts.
 */
import { type AuditEntry, insertAudit } from '../audit.ts';
import { type AccountContext, type AccountId, limitOf } from '../context.ts';
import { type RecordOf, toRecord } from '../schema/record.ts';
import type { AuditLogTable } from '../schema/tables.ts';
import { createSelect } from '../select.ts';

export type AuditRecord = RecordOf<AuditLogTable>;

export interface AuditPage {
  readonly entries: readonly AuditRecord[];
  readonly hasMore: boolean;
  /** `before` of the next page. */
  readonly nextBefore: number | undefined;
}

export interface AuditQuery {
  readonly before?: number;
  readonly action?: string;
  /** What it was done to. */
  readonly target?: string;
  readonly limit?: number;
}

export interface AuditLog {
  list(query?: AuditQuery): Promise<AuditPage>;
  /** For what changes no row of ours, such as a refused sign-in. */
  record(entry: AuditEntry): Promise<number>;
}

interface EntryFilter {
  readonly accountId: AccountId;
  readonly before: number | undefined;
  readonly action: string | undefined;
  readonly target: string | undefined;
  readonly limit: number;
}

const selectEntries = createSelect((db, filter: EntryFilter) => {
  const { accountId, before, action, target, limit } = filter;
  let query = db.selectFrom('audit_log').selectAll().where('account_id', '=', accountId);
  if (before !== undefined) query = query.where('seq', '<', before);
  if (action !== undefined) query = query.where('action', '=', action);
  if (target !== undefined) query = query.where('target', '=', target);
  return query.orderBy('seq', 'desc').limit(limit);
});

export function createAuditLog(context: AccountContext): AuditLog {
  const { runner, accountId } = context;
  return {
    list: async ({ before, action, target, limit } = {}) => {
      const count = limitOf({ limit });
      /* One more than asked for tells whether there are more. */
      const values = { accountId, before, action, target, limit: count + 1 };
      const rows = await runner.select(selectEntries, values);
      const entries = rows.slice(0, count).map(toRecord);
      const hasMore = rows.length > count;
      return { entries, hasMore, nextBefore: hasMore ? entries.at(-1)?.seq : undefined };
    },
    record: (entry) => runner.write((db) => insertAudit(db, context, entry)),
  };
}

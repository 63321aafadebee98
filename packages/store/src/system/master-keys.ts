/*
 * Which master keys this database was used with, by their ids. The keys themselves are never here: a copy of the database
 * without them reveals no secret, and this list tells that they are missing.
 */
import { auditedWrite, changed, unchanged, type AuditEntry } from '../audit.ts';
import type { AccountContext } from '../context.ts';

export interface MasterKeyNotes {
  list(): Promise<readonly string[]>;
  /** Adds what is new. Entries of the audit log are written for what changes only. */
  note(input: { ids: readonly string[]; audit: AuditEntry }): Promise<void>;
  /** For an operator who has lost them and goes on without: how many were forgotten. */
  forgetOthers(input: { ids: readonly string[]; audit: AuditEntry }): Promise<number>;
}

export function createMasterKeyNotes(context: AccountContext): MasterKeyNotes {
  const { runner, clock } = context;
  return {
    list: () =>
      runner.read(async (db) => {
        const rows = await db.selectFrom('master_keys').select('id').orderBy('id').execute();
        return rows.map(({ id }) => id);
      }),
    note: ({ ids, audit }) =>
      auditedWrite(context, audit, async (db) => {
        const added = await db
          .insertInto('master_keys')
          .values(ids.map((id) => ({ id, noted_at_ms: clock.wallMs() })))
          .onConflict((conflict) => conflict.column('id').doNothing())
          .returning('id')
          .execute();
        const names = added.map(({ id }) => id).join(' ');
        return added.length === 0 ? unchanged(undefined) : changed(undefined, names);
      }),
    forgetOthers: ({ ids, audit }) =>
      auditedWrite(context, audit, async (db) => {
        const gone = await db
          .deleteFrom('master_keys')
          .where('id', 'not in', [...ids])
          .returning('id')
          .execute();
        const names = gone.map(({ id }) => id).join(' ');
        return gone.length === 0 ? unchanged(0) : changed(gone.length, names);
      }),
  };
}

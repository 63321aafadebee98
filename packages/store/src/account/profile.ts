/*
 * The account itself, as its owner sees it, and the identities that lead to it.
 */
import { type AuditEntry, auditedWrite, changed, unchanged } from '../audit.ts';
import type { AccountContext, AccountId } from '../context.ts';
import { type RecordOf, toOptionalRecord, toRecord } from '../schema/record.ts';
import type { AccountsTable, OauthIdentitiesTable } from '../schema/tables.ts';
import { checkText } from '../schema/json-text.ts';
import { createSelect } from '../select.ts';

export type Account = RecordOf<AccountsTable>;
export type Identity = RecordOf<OauthIdentitiesTable>;

export interface Profile {
  get(): Promise<Account | undefined>;
  identities(): Promise<readonly Identity[]>;
  rename(input: { displayName: string; audit: AuditEntry }): Promise<'renamed' | 'not_found'>;
}

const selectAccount = createSelect((db, { accountId }: { readonly accountId: AccountId }) =>
  db.selectFrom('accounts').selectAll().where('id', '=', accountId),
);

export function createProfile(context: AccountContext): Profile {
  const { runner, accountId } = context;
  return {
    get: async () => {
      const [row] = await runner.select(selectAccount, { accountId });
      return toOptionalRecord(row);
    },
    identities: () =>
      runner.read(async (db) => {
        const rows = await db
          .selectFrom('oauth_identities')
          .selectAll()
          .where('account_id', '=', accountId)
          .orderBy('created_at_ms')
          .execute();
        return rows.map(toRecord);
      }),
    rename: ({ displayName, audit }) =>
      auditedWrite<'renamed' | 'not_found'>(context, audit, async (db) => {
        const { numUpdatedRows } = await db
          .updateTable('accounts')
          .set({ display_name: checkText('displayName', displayName) })
          .where('id', '=', accountId)
          .executeTakeFirst();
        return numUpdatedRows > 0n ? changed('renamed', accountId) : unchanged('not_found');
      }),
  };
}

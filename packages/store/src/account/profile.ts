/*
 * The account itself, as its owner sees it.
 */
import type { AccountContext, AccountId } from '../context.ts';
import { type RecordOf, toOptionalRecord } from '../schema/record.ts';
import type { AccountsTable } from '../schema/tables.ts';
import { createSelect } from '../select.ts';

export type Account = RecordOf<AccountsTable>;

export interface Profile {
  get(): Promise<Account | undefined>;
}

const selectAccount = createSelect((db, { accountId }: { readonly accountId: AccountId }) =>
  db.selectFrom('accounts').selectAll().where('id', '=', accountId),
);

export function createProfile({ runner, accountId }: AccountContext): Profile {
  return {
    get: async () => {
      const [row] = await runner.select(selectAccount, { accountId });
      return toOptionalRecord(row);
    },
  };
}

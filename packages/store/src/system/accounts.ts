/*
 * Accounts as the gateway sees them: the owner of the machine, and the people who sign in.
 */
import type { AccountId, QueryContext } from '../context.ts';
import { type AuditEntry, insertAudit } from '../audit.ts';
import type { Account } from '../account/profile.ts';
import type { Database } from '../engine.ts';
import { checkText } from '../schema/json-text.ts';
import { toRecord } from '../schema/record.ts';
import type { AccountsTable } from '../schema/tables.ts';

export interface OauthProfile {
  readonly provider: string;
  /** The provider's own number for the person; names change, this does not. */
  readonly providerUserId: string;
  readonly login: string;
  readonly displayName: string;
  readonly email?: string;
  readonly avatarUrl?: string;
}

export type SignInOutcome =
  | { readonly outcome: 'known' | 'created'; readonly account: Account }
  | { readonly outcome: 'disabled' | 'not_admitted' };

export interface Accounts {
  /** The account of the owner of the machine. The first call makes it. */
  ensureOwner(input: { displayName: string; audit: AuditEntry }): Promise<Account>;
  /** Finds the account of an identity, or makes one when `mayCreate`. */
  signIn(input: {
    profile: OauthProfile;
    mayCreate: boolean;
    audit: AuditEntry;
  }): Promise<SignInOutcome>;
  list(): Promise<readonly Account[]>;
  disable(input: { id: string; audit: AuditEntry }): Promise<'disabled' | 'not_found'>;
}

/** Ids become account ids here, where rows are read. */
export function parseAccountId(id: string): AccountId {
  return id as AccountId;
}

export function createAccounts(context: QueryContext): Accounts {
  const { runner, clock } = context;
  return {
    ensureOwner: ({ displayName, audit }) =>
      runner.write(async (db) => {
        const known = await db
          .selectFrom('accounts')
          .selectAll()
          .where('kind', '=', 'owner')
          .executeTakeFirst();
        if (known !== undefined) return toRecord(known);
        const row = await insertAccount(db, context, { kind: 'owner', display_name: displayName });
        await insertAudit(db, { accountId: parseAccountId(row.id), clock }, audit);
        return toRecord(row);
      }),
    signIn: ({ profile, mayCreate, audit }) =>
      runner.write((db) => signIn(db, context, { profile, mayCreate, audit })),
    list: () =>
      runner.read(async (db) => {
        const rows = await db
          .selectFrom('accounts')
          .selectAll()
          .orderBy('created_at_ms')
          .orderBy('id')
          .execute();
        return rows.map(toRecord);
      }),
    disable: ({ id, audit }) =>
      runner.write(async (db) => {
        const nowMs = clock.wallMs();
        const { numUpdatedRows } = await db
          .updateTable('accounts')
          .set({ disabled_at_ms: nowMs })
          .where('id', '=', id)
          .where('disabled_at_ms', 'is', null)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return 'not_found';
        await insertAudit(db, { accountId: parseAccountId(id), clock }, audit);
        return 'disabled';
      }),
  };
}

async function insertAccount(
  db: Database,
  { clock, random }: QueryContext,
  fields: Pick<AccountsTable, 'kind' | 'display_name'> & Partial<AccountsTable>,
): Promise<AccountsTable> {
  return await db
    .insertInto('accounts')
    .values({
      id: random.id(),
      email: null,
      avatar_url: null,
      created_at_ms: clock.wallMs(),
      disabled_at_ms: null,
      ...fields,
      display_name: checkText('displayName', fields.display_name),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function signIn(
  db: Database,
  context: QueryContext,
  input: {
    readonly profile: OauthProfile;
    readonly mayCreate: boolean;
    readonly audit: AuditEntry;
  },
): Promise<SignInOutcome> {
  const { profile, mayCreate, audit } = input;
  const { clock } = context;
  const nowMs = clock.wallMs();
  const known = await db
    .selectFrom('oauth_identities as identity')
    .innerJoin('accounts as account', 'account.id', 'identity.account_id')
    .selectAll('account')
    .where('identity.provider', '=', profile.provider)
    .where('identity.provider_user_id', '=', profile.providerUserId)
    .executeTakeFirst();
  if (known !== undefined && known.disabled_at_ms !== null) return { outcome: 'disabled' };
  if (known === undefined && !mayCreate) return { outcome: 'not_admitted' };
  const account =
    known ??
    (await insertAccount(db, context, {
      kind: 'member',
      display_name: profile.displayName,
      email: profile.email ?? null,
      avatar_url: profile.avatarUrl ?? null,
    }));
  const fields = { login: profile.login, email: profile.email ?? null, updated_at_ms: nowMs };
  await db
    .insertInto('oauth_identities')
    .values({
      provider: profile.provider,
      provider_user_id: profile.providerUserId,
      account_id: account.id,
      created_at_ms: nowMs,
      ...fields,
    })
    .onConflict((conflict) =>
      conflict.columns(['provider', 'provider_user_id']).doUpdateSet(fields),
    )
    .execute();
  await insertAudit(db, { accountId: parseAccountId(account.id), clock }, audit);
  return { outcome: known === undefined ? 'created' : 'known', account: toRecord(account) };
}

/*
 * Scoped tokens for programs, known by their SHA-256 only.
 */
import { type AuditEntry, auditedWrite, changed, unchanged } from '../audit.ts';
import type { AccountContext } from '../context.ts';
import { tokenMsMax, tokenSlidingMs } from '../limits.ts';
import { checkText, formatJson } from '../schema/json-text.ts';
import { type RecordOf, toRecord } from '../schema/record.ts';
import type { ApiTokensTable, TokenScope } from '../schema/tables.ts';

export type ApiToken = RecordOf<Omit<ApiTokensTable, 'token_hash'>>;

export type CreateTokenOutcome =
  | { readonly outcome: 'created'; readonly token: ApiToken }
  | { readonly outcome: 'label_exists' };

export interface ApiTokens {
  list(): Promise<readonly ApiToken[]>;
  create(input: {
    tokenHash: string;
    label: string;
    scopes: readonly TokenScope[];
    audit: AuditEntry;
  }): Promise<CreateTokenOutcome>;
  revoke(input: { id: string; audit: AuditEntry }): Promise<'revoked' | 'not_found'>;
}

const columns = [
  'account_id',
  'id',
  'label',
  'scopes_json',
  'created_at_ms',
  'last_used_at_ms',
  'expires_at_ms',
  'expires_at_ms_max',
  'revoked_at_ms',
] as const;

export function createApiTokens(context: AccountContext): ApiTokens {
  const { runner, accountId, clock, random } = context;
  return {
    list: () =>
      runner.read(async (db) => {
        const rows = await db
          .selectFrom('api_tokens')
          .select(columns)
          .where('account_id', '=', accountId)
          .where('revoked_at_ms', 'is', null)
          .where('expires_at_ms', '>', clock.wallMs())
          .orderBy('created_at_ms', 'desc')
          .orderBy('id')
          .execute();
        return rows.map(toRecord);
      }),
    create: ({ tokenHash, label, scopes, audit }) =>
      auditedWrite<CreateTokenOutcome>(context, audit, async (db) => {
        const nowMs = clock.wallMs();
        const row = await db
          .insertInto('api_tokens')
          .values({
            account_id: accountId,
            id: random.id(),
            token_hash: tokenHash,
            label: checkText('label', label),
            scopes_json: formatJson(scopes),
            created_at_ms: nowMs,
            last_used_at_ms: null,
            expires_at_ms: nowMs + tokenSlidingMs,
            expires_at_ms_max: nowMs + tokenMsMax,
            revoked_at_ms: null,
          })
          .onConflict((conflict) => conflict.doNothing())
          .returning(columns)
          .executeTakeFirst();
        if (row === undefined) return unchanged({ outcome: 'label_exists' });
        return changed({ outcome: 'created', token: toRecord(row) }, row.id);
      }),
    revoke: ({ id, audit }) =>
      auditedWrite<'revoked' | 'not_found'>(context, audit, async (db) => {
        const { numUpdatedRows } = await db
          .updateTable('api_tokens')
          .set({ revoked_at_ms: clock.wallMs() })
          .where('account_id', '=', accountId)
          .where('id', '=', id)
          .where('revoked_at_ms', 'is', null)
          .executeTakeFirst();
        return numUpdatedRows > 0n ? changed('revoked', id) : unchanged('not_found');
      }),
  };
}

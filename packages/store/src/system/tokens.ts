/*
 * Who a token is, by its SHA-256. Expiry slides with use, up to its own end; the use is written at most once a minute, so
 * that a request costs a read and not a commit.
 */
import type { AccountId, QueryContext } from '../context.ts';
import type { Database } from '../engine.ts';
import { lastUsedEveryMs, tokenSlidingMs } from '../limits.ts';
import { parseJson } from '../schema/json-text.ts';
import type { TokenScope } from '../schema/tables.ts';
import { parseAccountId } from './accounts.ts';

export interface TokenHolder {
  readonly kind: 'device' | 'token';
  readonly accountId: AccountId;
  /** The device's or token's id. */
  readonly id: string;
  /** A device may do everything that its account may. */
  readonly scopes: readonly TokenScope[];
  readonly expiresAtMs: number;
}

export interface Tokens {
  /** `undefined` for what is unknown, expired, revoked, or of a disabled account: all look alike. */
  find(tokenHash: string): Promise<TokenHolder | undefined>;
}

interface Found {
  readonly holder: TokenHolder;
  readonly lastUsedAtMs: number;
  readonly expiresAtMsMax: number;
}

const allScopes: readonly TokenScope[] = ['read', 'run', 'approve', 'admin'];

export function createTokens({ runner, clock }: QueryContext): Tokens {
  return {
    find: async (tokenHash) => {
      const nowMs = clock.wallMs();
      const found = await runner.read(
        async (db) =>
          (await findDevice(db, tokenHash, nowMs)) ?? (await findToken(db, tokenHash, nowMs)),
      );
      if (found === undefined) return undefined;
      if (nowMs - found.lastUsedAtMs < lastUsedEveryMs) return found.holder;
      const expiresAtMs = Math.min(nowMs + tokenSlidingMs, found.expiresAtMsMax);
      await runner.write((db) => touch(db, found.holder, { nowMs, expiresAtMs }));
      return { ...found.holder, expiresAtMs };
    },
  };
}

async function findDevice(
  db: Database,
  tokenHash: string,
  nowMs: number,
): Promise<Found | undefined> {
  const row = await db
    .selectFrom('app_sessions as token')
    .innerJoin('accounts as account', 'account.id', 'token.account_id')
    .select(['token.account_id', 'token.id', 'token.expires_at_ms', 'token.expires_at_ms_max'])
    .select('token.last_used_at_ms')
    .where('token.token_hash', '=', tokenHash)
    .where('token.expires_at_ms', '>', nowMs)
    .where('token.revoked_at_ms', 'is', null)
    .where('account.disabled_at_ms', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    holder: {
      kind: 'device',
      accountId: parseAccountId(row.account_id),
      id: row.id,
      scopes: allScopes,
      expiresAtMs: row.expires_at_ms,
    },
    lastUsedAtMs: row.last_used_at_ms,
    expiresAtMsMax: row.expires_at_ms_max,
  };
}

async function findToken(
  db: Database,
  tokenHash: string,
  nowMs: number,
): Promise<Found | undefined> {
  const row = await db
    .selectFrom('api_tokens as token')
    .innerJoin('accounts as account', 'account.id', 'token.account_id')
    .select(['token.account_id', 'token.id', 'token.expires_at_ms', 'token.expires_at_ms_max'])
    .select(['token.last_used_at_ms', 'token.scopes_json'])
    .where('token.token_hash', '=', tokenHash)
    .where('token.expires_at_ms', '>', nowMs)
    .where('token.revoked_at_ms', 'is', null)
    .where('account.disabled_at_ms', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    holder: {
      kind: 'token',
      accountId: parseAccountId(row.account_id),
      id: row.id,
      scopes: parseJson(row.scopes_json),
      expiresAtMs: row.expires_at_ms,
    },
    lastUsedAtMs: row.last_used_at_ms ?? 0,
    expiresAtMsMax: row.expires_at_ms_max,
  };
}

async function touch(
  db: Database,
  { kind, accountId, id }: TokenHolder,
  { nowMs, expiresAtMs }: { readonly nowMs: number; readonly expiresAtMs: number },
): Promise<void> {
  await db
    .updateTable(kind === 'device' ? 'app_sessions' : 'api_tokens')
    .set({ last_used_at_ms: nowMs, expires_at_ms: expiresAtMs })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    /* Revoked while we looked: stays revoked, and is not prolonged. */
    .where('revoked_at_ms', 'is', null)
    .execute();
}

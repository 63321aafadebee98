/*
 * Who a token is, by its SHA-256. Expiry slides with use, up to its own end; the use is written at most once a minute, so
 * that a request costs a read and not a commit.
 */
import { hasCode } from '@clawdfather/kit';
import { sql } from 'kysely';
import type { AccountId, QueryContext } from '../context.ts';
import type { Database } from '../engine.ts';
import { lastUsedEveryMs, tokenSlidingMs } from '../limits.ts';
import { parseJson } from '../schema/json-text.ts';
import type { ApiTokensTable, TokenScope } from '../schema/tables.ts';
import { createSelect } from '../select.ts';
import { parseAccountId } from './accounts.ts';

export interface TokenHolder {
  readonly kind: 'device' | 'token';
  readonly accountId: AccountId;
  /** The device's or token's id. */
  readonly id: string;
  /** What its owner called it. */
  readonly name: string;
  /** A device may do everything that its account may. */
  readonly scopes: readonly TokenScope[];
  readonly expiresAtMs: number;
}

export interface Tokens {
  /** `undefined` for what is unknown, expired, revoked, or of a disabled account: all look alike. */
  find(tokenHash: string): Promise<TokenHolder | undefined>;
  /** Of these devices and tokens, those that can still be used. Callers that hold sockets open ask this. */
  stillGood(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

const allScopes: readonly TokenScope[] = ['read', 'run', 'approve', 'admin'];

export function createTokens({ runner, clock }: QueryContext): Tokens {
  return {
    find: async (tokenHash) => {
      const nowMs = clock.wallMs();
      const [row] = await runner.select(selectHolder, { tokenHash, nowMs });
      if (row === undefined) return undefined;
      const holder = {
        kind: row.scopes_json === null ? 'device' : 'token',
        accountId: parseAccountId(row.account_id),
        id: row.id,
        name: row.name,
        scopes: row.scopes_json === null ? allScopes : parseJson(row.scopes_json),
        expiresAtMs: row.expires_at_ms,
      } as const;
      if (nowMs - (row.last_used_at_ms ?? 0) < lastUsedEveryMs) return holder;
      const expiresAtMs = Math.min(nowMs + tokenSlidingMs, row.expires_at_ms_max);
      try {
        await runner.write((db) => touch(db, holder, { nowMs, expiresAtMs }));
        return { ...holder, expiresAtMs };
      } catch (error) {
        // A full disk must not lock people out: the person who ends the run that fills it has to get in.
        if (hasCode(error, 'store-full', 'store-failed')) return holder;
        throw error;
      }
    },
    stillGood: async (ids) => {
      const nowMs = clock.wallMs();
      const good = new Set<string>();
      for (let start = 0; start < ids.length; start += idsPerQuery) {
        const some = ids.slice(start, start + idsPerQuery);
        const rows = await runner.read((db) => selectGood(db, some, nowMs));
        for (const { id } of rows) good.add(id);
      }
      return good;
    },
  };
}

/** More devices than have sockets open on most gateways; filled up, so that the statement stays prepared. */
const idsPerQuery = 64;

function selectGood(
  db: Database,
  ids: readonly string[],
  nowMs: number,
): Promise<readonly { readonly id: string }[]> {
  const filled = [...ids, ...Array<string>(idsPerQuery - ids.length).fill('')];
  const goodIn = (table: 'app_sessions' | 'api_tokens') =>
    db
      /* The columns named here are the same in both; the types have no word for that. */
      .selectFrom(`${table} as token` as 'app_sessions as token')
      .innerJoin('accounts as account', 'account.id', 'token.account_id')
      .select('token.id')
      .where('token.id', 'in', filled)
      .where('token.expires_at_ms', '>', nowMs)
      .where('token.revoked_at_ms', 'is', null)
      .where('account.disabled_at_ms', 'is', null);
  return goodIn('app_sessions').unionAll(goodIn('api_tokens')).execute();
}

const tokenColumns = [
  'token.account_id',
  'token.id',
  'token.expires_at_ms',
  'token.expires_at_ms_max',
  'token.last_used_at_ms',
] as const;

/** What the two have in common: a device has no scopes, and a fresh token has not been used. */
type HolderRow = Pick<
  ApiTokensTable,
  'account_id' | 'id' | 'expires_at_ms' | 'expires_at_ms_max'
> & {
  readonly name: string;
  readonly last_used_at_ms: number | null;
  readonly scopes_json: ApiTokensTable['scopes_json'] | null;
};

interface HolderFilter {
  readonly tokenHash: string;
  readonly nowMs: number;
}

/* Both kinds in one statement: on PostgreSQL a second statement is a second round trip. Only tokens have scopes. */
const selectHolder = createSelect((db, { tokenHash, nowMs }: HolderFilter) =>
  db
    .selectFrom('app_sessions as token')
    .innerJoin('accounts as account', 'account.id', 'token.account_id')
    .select(tokenColumns)
    .select(['token.device as name', sql`NULL`.as('scopes_json')])
    .where('token.token_hash', '=', tokenHash)
    .where('token.expires_at_ms', '>', nowMs)
    .where('token.revoked_at_ms', 'is', null)
    .where('account.disabled_at_ms', 'is', null)
    .$castTo<HolderRow>()
    .unionAll(
      db
        .selectFrom('api_tokens as token')
        .innerJoin('accounts as account', 'account.id', 'token.account_id')
        .select(tokenColumns)
        .select(['token.label as name', 'token.scopes_json'])
        .where('token.token_hash', '=', tokenHash)
        .where('token.expires_at_ms', '>', nowMs)
        .where('token.revoked_at_ms', 'is', null)
        .where('account.disabled_at_ms', 'is', null)
        .$castTo<HolderRow>(),
    ),
);

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
    /* If it was revoked meanwhile, it stays revoked and is not prolonged. */
    .where('revoked_at_ms', 'is', null)
    .execute();
}

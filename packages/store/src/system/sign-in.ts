/*
 * OAuth states and login links. Using one deletes it, so of two callers with the same one only the first succeeds.
 */
import type { LoginCodeRecord } from '../account/login-codes.ts';
import type { AccountId, QueryContext } from '../context.ts';
import { signInMs } from '../limits.ts';
import type { RecordOf } from '../schema/record.ts';
import { toOptionalRecord } from '../schema/record.ts';
import type { OauthStatesTable } from '../schema/tables.ts';
import { parseAccountId } from './accounts.ts';

export type OauthState = RecordOf<OauthStatesTable>;

export interface SignIns {
  saveState(state: {
    stateHash: string;
    provider: string;
    verifier: string;
    browserHash: string;
    redirectUri: string;
  }): Promise<void>;
  /** Bound to the browser that began: with another one it is used up and gives nothing. */
  takeState(input: { stateHash: string; browserHash: string }): Promise<OauthState | undefined>;
  saveLink(input: { linkHash: string; accountId: AccountId }): Promise<void>;
  takeLink(linkHash: string): Promise<AccountId | undefined>;
  /** Of whichever account: the hash is all that is known of it. */
  findCode(by: 'code' | 'link' | 'claim', hash: string): Promise<LoginCodeRecord | undefined>;
}

export function createSignIns({ runner, clock }: QueryContext): SignIns {
  return {
    saveState: (state) =>
      runner.write(async (db) => {
        const nowMs = clock.wallMs();
        await db
          .insertInto('oauth_states')
          .values({
            state_hash: state.stateHash,
            provider: state.provider,
            verifier: state.verifier,
            browser_hash: state.browserHash,
            redirect_uri: state.redirectUri,
            created_at_ms: nowMs,
            expires_at_ms: nowMs + signInMs,
          })
          .execute();
      }),
    takeState: ({ stateHash, browserHash }) =>
      runner.write(async (db) => {
        const row = await db
          .deleteFrom('oauth_states')
          .where('state_hash', '=', stateHash)
          .returningAll()
          .executeTakeFirst();
        const isGood =
          row !== undefined &&
          row.expires_at_ms > clock.wallMs() &&
          row.browser_hash === browserHash;
        return isGood ? toOptionalRecord(row) : undefined;
      }),
    saveLink: ({ linkHash, accountId }) =>
      runner.write(async (db) => {
        const nowMs = clock.wallMs();
        await db
          .insertInto('login_links')
          .values({
            link_hash: linkHash,
            account_id: accountId,
            created_at_ms: nowMs,
            expires_at_ms: nowMs + signInMs,
          })
          .execute();
      }),
    takeLink: (linkHash) =>
      runner.write(async (db) => {
        const row = await db
          .deleteFrom('login_links')
          .where('link_hash', '=', linkHash)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined || row.expires_at_ms <= clock.wallMs()) return undefined;
        return parseAccountId(row.account_id);
      }),
    findCode: (by, hash) =>
      runner.read(async (db) =>
        toOptionalRecord(
          await db
            .selectFrom('login_codes')
            .selectAll()
            .where(`${by}_hash`, '=', hash)
            .executeTakeFirst(),
        ),
      ),
  };
}

/*
 * Finds the caller of a request by its bearer token or by the web app's cookie.
 *
 * Bad tokens are counted by address; more than ten in ten minutes lock the address out for a quarter of an
 * hour. The lock refuses bad tokens only, so a caller with a good token is never locked out by others behind the same address. A
 * lock is written to the audit log once, not once per attempt.
 */
import type { AccountId, Store, TokenHolder } from '@clawdfather/store';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';
import { clientNetworkOf } from '../http/client-network.ts';
import { limitHeaders, rateLimited, type RateLimits } from '../http/rate-limit.ts';
import type { LiveTokens } from './live-tokens.ts';
import {
  createTokenReader,
  type PresentedToken,
  readPresentedToken,
  type Spoken,
} from './presented-token.ts';

export interface Credentials extends Spoken {
  readonly ip: string;
}

export interface AuthenticateDeps {
  readonly store: Store;
  readonly limits: RateLimits;
  readonly tokens: LiveTokens;
  readonly ownerId: AccountId;
}

/* As `Authenticate`, but only for tokens that were looked up a moment ago. Most requests follow another of the same caller. */
export type Recognise = (spoken: Spoken, connection: object) => Caller | undefined;

export type Authenticate = (credentials: Credentials) => Promise<Caller | undefined>;

/* Ten mistakes are more than a person makes; at this pace a token cannot be guessed. */
const badTokens = { hitsMax: 10, windowMs: 10 * 60_000, lockMs: 15 * 60_000 } as const;

/* `undefined`: the request has no token. Throws `unauthorized` or `rate_limited` for a bad token. */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  return async (credentials) => {
    const presented = readPresentedToken(credentials);
    if (presented === undefined) return undefined;
    const { tokenHash } = presented;
    const holder = tokenHash === undefined ? undefined : await deps.tokens.find(tokenHash);
    if (holder === undefined) throw await badToken(deps, credentials.ip);
    return callerOf(deps, holder, presented);
  };
}

export function createRecognise(deps: Pick<AuthenticateDeps, 'tokens' | 'ownerId'>): Recognise {
  const readToken = createTokenReader();
  return (spoken, connection) => {
    const presented = readToken(spoken, connection);
    if (presented?.tokenHash === undefined) return undefined;
    const holder = deps.tokens.peek(presented.tokenHash);
    return holder === undefined ? undefined : callerOf(deps, holder, presented);
  };
}

function callerOf(
  { ownerId }: Pick<AuthenticateDeps, 'ownerId'>,
  holder: TokenHolder,
  { cameBy }: PresentedToken,
): Caller {
  return { ...holder, cameBy, isOwner: holder.accountId === ownerId };
}

export async function badToken(
  { limits, store }: Pick<AuthenticateDeps, 'limits' | 'store'>,
  ip: string,
): Promise<ApiError> {
  const subject = clientNetworkOf(ip);
  const standing = await limits.count({ scope: 'auth.bad-token', subject, limit: badTokens });
  if (standing.isAllowed) {
    return new ApiError('unauthorized', undefined, { headers: limitHeaders(standing) });
  }
  if (standing.isNews) {
    await store.system.auditLog.record({
      action: 'auth.refused',
      actor: 'nobody',
      ip,
      detail: { reason: 'bad_tokens', locked_seconds: standing.resetSeconds },
    });
  }
  return rateLimited(standing);
}

/*
 * The end of every way in: a new device with a token of its own, an entry in the audit log, and a count.
 *
 * A client that is still signed in presents its token, and is the same device: the new one takes the place of the old one, whose
 * token ends in the same transaction. The id of a device is no secret and gives no right: it is looked for only among the devices of
 * the account that has just proved who it is, which may sign any of them out anyway.
 */
import type { Log, Random } from '@clawdfather/kit';
import type { Account, AccountId, AccountQueries, Device, Store } from '@clawdfather/store';
import { ApiError } from '../http/api-error.ts';
import type { RequestFacts } from '../http/handlers.ts';
import type { AuthObserver, SignInReport } from './auth-observer.ts';
import type { LiveTokens } from './live-tokens.ts';
import { hashSecret, newToken } from './token-text.ts';

export interface SignInDeps {
  readonly store: Store;
  readonly random: Random;
  readonly authObserver: AuthObserver;
  readonly tokens: LiveTokens;
  readonly log: Log;
}

export interface SignInInput {
  readonly accountId: AccountId;
  readonly provider: SignInReport['provider'];
  readonly device: string;
  readonly facts: Pick<RequestFacts, 'ip' | 'traceId'>;
  /* The id of the device that the client was until now. */
  readonly replaces?: string | undefined;
  /* And if that has ended, there is no sign-in. */
  readonly isOnlyReplaced?: boolean;
  /* Written in the transaction of the device. What it throws undoes the device. */
  readonly settle?: (queries: AccountQueries, deviceId: string) => Promise<void>;
}

export interface SignedIn {
  readonly token: string;
  readonly device: Device;
  readonly account: Account;
}

export async function signInDevice(deps: SignInDeps, input: SignInInput): Promise<SignedIn> {
  const { accountId, provider, device: name, facts, replaces: id, settle } = input;
  const { ip, traceId } = facts;
  const mine = deps.store.forAccount(accountId);
  const token = newToken(deps.random);
  const audit = { action: 'auth.login', actor: provider, ip, traceId, detail: { device: name } };
  const made = { tokenHash: hashSecret(token), device: name, audit };
  const { device, successor } = await mine.transaction(async (queries) => {
    const { devices } = queries;
    const replaced = id === undefined ? undefined : await devices.replace({ ...made, id });
    if (replaced === undefined && input.isOnlyReplaced === true) throw new ApiError('expired');
    const added = replaced ?? (await devices.create(made));
    await settle?.(queries, added.id);
    return { device: added, successor: replaced };
  });
  // Only what has ended is forgotten: others must not be able to cut the sockets of an account whose ids they know.
  if (id !== undefined && successor !== undefined) deps.tokens.forget(id);
  const account = await mine.profile.get();
  if (account === undefined) throw new ApiError('internal_error');
  deps.authObserver.onSignIn({ provider, result: 'ok' });
  deps.log.event('auth.signed-in', { account_id: accountId, device: name, provider });
  return { token, device, account };
}

/* Writes a refused sign-in and its reason to the audit log. No account is known yet, so the entry belongs to none. */
export async function recordRefusal(
  { store, authObserver, log }: SignInDeps,
  { provider, facts }: Pick<SignInInput, 'provider' | 'facts'>,
  reason: string,
): Promise<void> {
  authObserver.onSignIn({ provider, result: 'failed' });
  const { ip, traceId } = facts;
  log.warn('auth.refused', { provider, reason, ip });
  await store.system.auditLog.record({
    action: 'auth.refused',
    actor: provider,
    ip,
    traceId,
    detail: { reason },
  });
}

/*
 * The end of every way in: a new device with a token of its own, an entry in the audit log, and a count.
 */
import type { Random } from '@clawdfather/kit';
import type { Account, AccountId, Device, Store } from '@clawdfather/store';
import { ApiError } from '../http/api-error.ts';
import type { RequestFacts } from '../http/handlers.ts';
import type { AuthObserver, SignInReport } from './auth-observer.ts';
import { hashSecret, newToken } from './token-text.ts';

export interface SignInDeps {
  readonly store: Store;
  readonly random: Random;
  readonly authObserver: AuthObserver;
}

export interface SignInInput {
  readonly accountId: AccountId;
  readonly provider: SignInReport['provider'];
  readonly device: string;
  readonly facts: Pick<RequestFacts, 'ip' | 'traceId'>;
}

export interface SignedIn {
  readonly token: string;
  readonly device: Device;
  readonly account: Account;
}

export async function signInDevice(deps: SignInDeps, input: SignInInput): Promise<SignedIn> {
  const { accountId, provider, device: name, facts } = input;
  const { ip, traceId } = facts;
  const mine = deps.store.forAccount(accountId);
  const token = newToken(deps.random);
  const device = await mine.devices.create({
    tokenHash: hashSecret(token),
    device: name,
    audit: { action: 'auth.login', actor: provider, ip, traceId, detail: { device: name } },
  });
  const account = await mine.profile.get();
  if (account === undefined) throw new ApiError('internal_error');
  deps.authObserver.onSignIn({ provider, result: 'ok' });
  return { token, device, account };
}

/* Writes a refused sign-in and its reason to the audit log. No account is known yet, so the entry belongs to none. */
export async function recordRefusal(
  { store, authObserver }: SignInDeps,
  { provider, facts }: Pick<SignInInput, 'provider' | 'facts'>,
  reason: string,
): Promise<void> {
  authObserver.onSignIn({ provider, result: 'failed' });
  const { ip, traceId } = facts;
  await store.system.auditLog.record({
    action: 'auth.refused',
    actor: provider,
    ip,
    traceId,
    detail: { reason },
  });
}

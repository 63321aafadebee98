/*
 * Getting in, who is in, and getting out again.
 */
import type { Clock, Log, Random } from '@clawdfather/kit';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { AccountId, Device, PushSubscription, Store } from '@clawdfather/store';
import type { FastifyReply } from 'fastify';
import { formatBinding, formatEndedBinding, parseBinding } from '../auth/browser-binding.ts';
import type { AuthObserver } from '../auth/auth-observer.ts';
import { deviceNameOf } from '../auth/device-name.ts';
import { createGithubSignIn } from '../auth/github-sign-in.ts';
import type { LiveTokens } from '../auth/live-tokens.ts';
import type { LoginLinks } from '../auth/login-links.ts';
import { readPresentedToken } from '../auth/presented-token.ts';
import { formatEndedCookie } from '../auth/session-cookie.ts';
import { recordRefusal, type SignedIn, signInDevice } from '../auth/sign-in.ts';
import type { GatewayConfig } from '../gateway-config.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';
import { formatTime } from '../http/format-time.ts';
import { auditOf, type Call, type Handlers, type RequestFacts } from '../http/handlers.ts';
import { pageOfAll } from './page-of-all.ts';
import { setSessionCookie, showAccount, showSignedIn, showWithoutToken } from './show-signed-in.ts';
import { showPushState } from './push.ts';

export interface AuthParts {
  readonly config: Pick<GatewayConfig, 'github'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly tokens: LiveTokens;
  readonly links: LoginLinks;
  readonly authObserver: AuthObserver;
  readonly baseUrl: () => string;
}

type AuthHandlers = Handlers<Api['auth']>;
type SignInNames = 'loginLink' | 'startGithub' | 'finishGithub' | 'ways';

export function createAuthHandlers(parts: AuthParts): AuthHandlers {
  return { ...createSignInHandlers(parts), ...createDeviceHandlers(parts) };
}

function createSignInHandlers(parts: AuthParts): Pick<AuthHandlers, SignInNames> {
  const { config, links, clock, tokens } = parts;
  const github = createGithubSignIn(config.github, parts);
  const setCookie = (reply: FastifyReply, signedIn: SignedIn): void =>
    setSessionCookie(reply, signedIn, clock.wallMs());
  /* Which device the client is, if it is signed in. A token that is no good is none: this is a way in. */
  const deviceOf = async (call: Pick<RequestFacts, 'header'>): Promise<string | undefined> => {
    const spoken = { authorization: call.header('authorization'), cookie: call.header('cookie') };
    const tokenHash = readPresentedToken(spoken)?.tokenHash;
    const holder = tokenHash === undefined ? undefined : await tokens.find(tokenHash);
    return holder?.kind === 'device' ? holder.id : undefined;
  };
  return {
    loginLink: async (call) => {
      const { link, device = deviceNameOf(call.userAgent), cookie } = call.body;
      const accountId = await links.take(link);
      if (accountId === undefined) {
        await recordRefusal(parts, { provider: 'link', facts: call }, 'invalid_link');
        throw new ApiError('invalid_link');
      }
      const replaces = await deviceOf(call);
      const input = { accountId, provider: 'link', device, facts: call, replaces } as const;
      const signedIn = await signInDevice(parts, input);
      if (!cookie) return showSignedIn(signedIn);
      setCookie(call.reply, signedIn);
      return showWithoutToken(signedIn);
    },
    startGithub: async (call) => {
      const { authorizeUrl, state, binding } = await github.start(call.body.redirect_uri);
      const deviceId = await deviceOf(call);
      call.reply.header('set-cookie', formatBinding({ secret: binding, deviceId }));
      return { authorize_url: authorizeUrl, state };
    },
    finishGithub: async (call) => {
      const { reply } = call;
      const binding = parseBinding(call.header('cookie'));
      // GitHub sends a browser here, which wants a page; a program that was sent somewhere else asks for JSON.
      const isBrowser = call.header('accept')?.includes('text/html') ?? false;
      reply.header('set-cookie', formatEndedBinding());
      const { signal, userAgent } = call;
      const finishing = github.finish({ ...call.query, binding, userAgent, facts: call, signal });
      if (!isBrowser) return showSignedIn(await finishing);
      const done = await finishing.catch(apiErrorOf);
      if (done instanceof ApiError) reply.redirect(`/login#clf-error=${done.code}`, 303);
      else {
        setCookie(reply, done);
        reply.redirect('/login', 303);
      }
      // The answer was sent already, so this value is not used.
      return undefined as never;
    },
    ways: async () => ({
      ways: config.github === undefined ? ['link', 'code'] : ['link', 'code', 'github'],
    }),
  };
}

function createDeviceHandlers(parts: AuthParts): Omit<AuthHandlers, SignInNames> {
  const { store, tokens, log } = parts;
  /* What it is called, for the log. Unknown: a token, or one that has ended before. */
  const nameOf = async (accountId: AccountId, id: string): Promise<string | undefined> => {
    const devices = await store.forAccount(accountId).devices.list();
    return devices.find((device) => device.id === id)?.device;
  };
  const logEnd = (accountId: AccountId, device: string | undefined): void => {
    if (device !== undefined) log.event('auth.signed-out', { account_id: accountId, device });
  };
  return {
    me: async ({ caller }) => {
      const account = await store.forAccount(caller.accountId).profile.get();
      if (account === undefined) throw notFound();
      return {
        account: showAccount(account),
        via: {
          kind: caller.kind,
          id: caller.id,
          scopes: [...caller.scopes],
          expires_at: formatTime(caller.expiresAtMs),
        },
      };
    },
    signOut: async (call) => {
      const { caller, reply } = call;
      const { id } = caller;
      const mine = store.forAccount(caller.accountId);
      const kind = caller.kind === 'device' ? mine.devices : mine.apiTokens;
      const name = await nameOf(caller.accountId, id);
      await kind.revoke({ id, audit: auditOf(call, 'auth.logout') });
      tokens.forget(id);
      logEnd(caller.accountId, name);
      if (caller.cameBy === 'cookie') reply.header('set-cookie', formatEndedCookie());
      return undefined;
    },
    devices: async ({ caller, query }) => {
      return pageOfAll(await devicesOf(store, caller), query);
    },
    revokeOtherDevices: async (call) => {
      const { accountId, id: exceptId } = call.caller;
      const audit = auditOf(call, 'device.revoke', { which: 'all others' });
      const ids = await store.forAccount(accountId).devices.revokeOthers({ exceptId, audit });
      for (const id of ids) tokens.forget(id);
      if (ids.length > 0) {
        log.event('auth.signed-out', { account_id: accountId, others: ids.length });
      }
      return { revoked: ids.length };
    },
    renameDevice: (call) => renameDevice(store, call),
    revokeDevice: async (call) => {
      const { id } = call.params;
      const { accountId } = call.caller;
      const { devices } = store.forAccount(accountId);
      const name = await nameOf(accountId, id);
      const outcome = await devices.revoke({ id, audit: auditOf(call, 'device.revoke') });
      if (outcome === 'not_found') throw notFound();
      tokens.forget(id);
      logEnd(accountId, name);
      return undefined;
    },
  };
}

async function devicesOf(store: Store, { accountId, id }: Pick<Caller, 'accountId' | 'id'>) {
  const { devices, push } = store.forAccount(accountId);
  const subscriptions = await push.list();
  return (await devices.list()).map((device) => ({
    ...showDevice(device, id),
    push: pushOf(subscriptions, device.id),
  }));
}

async function renameDevice(
  store: Store,
  call: Call<Api['auth']['renameDevice']>,
): Promise<AnswerOf<Api['auth']['renameDevice']>> {
  const { id } = call.params;
  const { device } = call.body;
  const { devices } = store.forAccount(call.caller.accountId);
  const audit = auditOf(call, 'device.rename');
  if ((await devices.rename({ id, device, audit })) === 'not_found') throw notFound();
  return { id, device };
}

function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}

function showDevice(device: Device, currentId: string) {
  return {
    id: device.id,
    device: device.device,
    is_current: device.id === currentId,
    created_at: formatTime(device.createdAtMs),
    last_used_at: formatTime(device.lastUsedAtMs),
    expires_at: formatTime(device.expiresAtMs),
  };
}

function pushOf(subscriptions: readonly PushSubscription[], deviceId: string) {
  const subscription = subscriptions.find((one) => one.deviceId === deviceId);
  return subscription === undefined ? null : showPushState(subscription);
}

/*
 * Signing in with GitHub.
 *
 * Stages: 1 `start` makes a state, a PKCE verifier and a secret for the browser's cookie, and keeps them together for ten
 * minutes · 2 GitHub asks the person · 3 `finish` deletes the state in any case, and goes on only with the cookie of the same
 * browser · 4 the code and the verifier become a GitHub user · 5 a person on the list gets a device.
 *
 * A person is known by GitHub's number, because names change hands. The list of names says who may sign in today; the number
 * says to which account. Accounts from GitHub are members; the owner of this machine signs in with links.
 */
import type { Clock } from '@clawdfather/kit';
import { type OauthProfile, parseAccountId } from '@clawdfather/store';
import type { GithubConfig } from '../gateway-config.ts';
import { ApiError } from '../http/api-error.ts';
import type { Binding } from './browser-binding.ts';
import { deviceNameOf } from './device-name.ts';
import { createGithub, type Github } from './github.ts';
import {
  recordRefusal,
  type SignedIn,
  type SignInDeps,
  signInDevice,
  type SignInInput,
} from './sign-in.ts';
import { hashSecret, newLinkSecret } from './token-text.ts';

export interface GithubSignIn {
  start(redirectUri: string | undefined): Promise<{
    readonly authorizeUrl: string;
    readonly state: string;
    /* For the browser's cookie. */
    readonly binding: string;
  }>;
  finish(input: FinishInput): Promise<SignedIn>;
}

export interface FinishInput {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  /* What GitHub says instead of a code, such as `access_denied`. */
  readonly error?: string | undefined;
  readonly binding: Binding | undefined;
  readonly userAgent: string | undefined;
  readonly facts: SignInInput['facts'];
  readonly signal: AbortSignal;
}

export interface GithubSignInDeps extends SignInDeps {
  readonly clock: Clock;
  /* Where we are reached, such as `https://clawd.example.org`; known only after listening. */
  readonly baseUrl: () => string;
}

export const callbackPath = '/api/v1/auth/oauth/github/callback';

export function createGithubSignIn(
  config: GithubConfig | undefined,
  deps: GithubSignInDeps,
): GithubSignIn {
  if (config === undefined) return notConfigured;
  const github = createGithub(config, deps);
  return {
    start: async (wanted) => {
      const redirectUri = allowedRedirect(config, deps, wanted);
      const { random, store } = deps;
      const [state, verifier, binding] = [
        newLinkSecret(random),
        newLinkSecret(random),
        newLinkSecret(random),
      ];
      await store.system.signIns.saveState({
        stateHash: hashSecret(state),
        provider: 'github',
        verifier,
        browserHash: hashSecret(binding),
        redirectUri,
      });
      const authorizeUrl = await github.authorizeUrl({ state, verifier, redirectUri });
      return { authorizeUrl, state, binding };
    },
    finish: async (input) => {
      try {
        const profile = await identify(github, deps, input);
        return await admit(config, deps, { input, profile });
      } catch (error) {
        if (error instanceof ApiError) {
          await recordRefusal(deps, { provider: 'github', facts: input.facts }, error.code);
        }
        throw error;
      }
    },
  };
}

/* Word for word one of the list: anything looser is an open redirect. */
function allowedRedirect(
  { redirectUris = [] }: GithubConfig,
  { baseUrl }: GithubSignInDeps,
  wanted: string | undefined,
): string {
  const own = `${baseUrl()}${callbackPath}`;
  if (wanted === undefined || wanted === own) return own;
  if (redirectUris.includes(wanted)) return wanted;
  throw new ApiError('validation_error', 'redirect_uri: is not one that this gateway allows', {
    detail: { issues: [{ path: 'redirect_uri', message: 'is not one that this gateway allows' }] },
  });
}

async function identify(
  github: Github,
  { store }: GithubSignInDeps,
  { code, state, error, binding, signal }: FinishInput,
): Promise<OauthProfile> {
  const known =
    state === undefined || binding === undefined
      ? undefined
      : await store.system.signIns.takeState({
          stateHash: hashSecret(state),
          browserHash: hashSecret(binding.secret),
        });
  if (known === undefined) throw new ApiError('invalid_state');
  if (code === undefined) {
    const isDenied = error === 'access_denied';
    throw new ApiError('invalid_code', isDenied ? 'you said no on GitHub' : undefined);
  }
  const { verifier, redirectUri } = known;
  return await github.identify({ code, verifier, redirectUri }, signal);
}

async function admit(
  { admittedLogins }: GithubConfig,
  deps: GithubSignInDeps,
  { input, profile }: { readonly input: FinishInput; readonly profile: OauthProfile },
): Promise<SignedIn> {
  const { facts, userAgent, binding } = input;
  const login = profile.login.toLowerCase();
  if (!admittedLogins.some((admitted) => admitted.toLowerCase() === login)) throw notAdmitted();
  const found = await deps.store.system.accounts.signIn({
    profile,
    mayCreate: true,
    audit: {
      action: 'account.identify',
      actor: 'github',
      ip: facts.ip,
      traceId: facts.traceId,
      detail: { github_id: profile.providerUserId, login: profile.login },
    },
  });
  if (!('account' in found)) throw notAdmitted();
  const device = deviceNameOf(userAgent);
  const accountId = parseAccountId(found.account.id);
  const replaces = binding?.deviceId;
  return await signInDevice(deps, { accountId, provider: 'github', device, facts, replaces });
}

function notAdmitted(): ApiError {
  return new ApiError('forbidden', 'this GitHub account is not admitted here', {
    hint: 'whoever runs this gateway can add its login to the admitted ones',
  });
}

const refuse = (): Promise<never> =>
  Promise.reject(
    new ApiError('unsupported', 'signing in with GitHub is not set up here', {
      hint: 'sign in with a link (`clf login`), or configure a GitHub OAuth app',
    }),
  );

const notConfigured: GithubSignIn = { start: refuse, finish: refuse };

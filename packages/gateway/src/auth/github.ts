/*
 * GitHub's side of signing in: where to send the browser, and who comes back.
 *
 * arctic makes the address with its PKCE challenge; it is loaded with the first sign-in. Its requests are not used: they cannot
 * be cancelled, have no bounds, and its GitHub client knows no PKCE. GitHub's token is used for two questions and thrown away.
 */
import type { Clock } from '@clawdfather/kit';
import type { OauthProfile } from '@clawdfather/store';
import { z } from 'zod';
import type { GithubConfig } from '../gateway-config.ts';
import { ApiError } from '../http/api-error.ts';
import { readBounded } from './read-bounded.ts';

export interface GithubStep {
  readonly verifier: string;
  readonly redirectUri: string;
}

export interface Github {
  authorizeUrl(step: GithubStep & { readonly state: string }): Promise<string>;
  /* Throws `invalid_code` or `github_unavailable`. */
  identify(
    step: GithubStep & { readonly code: string },
    signal: AbortSignal,
  ): Promise<OauthProfile>;
}

const scopes = ['read:user', 'user:email'];
/* For all three questions: a person is looking at a blank page meanwhile. */
const answersMsMax = 8_000;
/* GitHub's answers have a few kilobytes. */
const answerBytesMax = 256 * 1024;
const nameMax = 100;
const urlMax = 2_048;

const tokenAnswer = z.union([
  z.object({ access_token: z.string().min(1) }),
  z.object({ error: z.string() }),
]);

const userAnswer = z.object({
  id: z.int().positive(),
  login: z.string().min(1).max(nameMax),
  name: z.string().nullish(),
  avatar_url: z.string().nullish(),
});

const emailsAnswer = z.array(
  z.object({ email: z.string().max(320), primary: z.boolean(), verified: z.boolean() }),
);

export function createGithub(config: GithubConfig, { clock }: { readonly clock: Clock }): Github {
  const { webUrl = 'https://github.com', apiUrl = 'https://api.github.com' } = config;
  return {
    authorizeUrl: async ({ state, verifier, redirectUri }) => {
      const { CodeChallengeMethod, OAuth2Client } = await import('arctic');
      const client = new OAuth2Client(config.clientId, null, redirectUri);
      const endpoint = `${webUrl}/login/oauth/authorize`;
      const { S256 } = CodeChallengeMethod;
      return client.createAuthorizationURLWithPKCE(endpoint, state, S256, verifier, scopes).href;
    },
    identify: async (step, signal) => {
      const late = new AbortController();
      const timer = clock.timer(answersMsMax, () => late.abort());
      const limit = AbortSignal.any([signal, late.signal]);
      try {
        const token = await exchange(config, { ...step, url: webUrl }, limit);
        const [user, emails] = await Promise.all([
          askApi(userAnswer, { url: `${apiUrl}/user`, token }, limit),
          askApi(emailsAnswer, { url: `${apiUrl}/user/emails`, token }, limit),
        ]);
        return profileOf(user, emails);
      } finally {
        timer.cancel();
      }
    },
  };
}

async function exchange(
  { clientId, clientSecret }: GithubConfig,
  { code, verifier, redirectUri, url }: GithubStep & { code: string; url: string },
  signal: AbortSignal,
): Promise<string> {
  const answer = await ask(`${url}/login/oauth/access_token`, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({
      client_id: clientId,
      client_secret: clientSecret,
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    }),
    signal,
  });
  const parsed = parseAnswer(tokenAnswer, answer);
  if ('access_token' in parsed) return parsed.access_token;
  throw refusedBy(parsed.error);
}

/* A mistake in this gateway's settings is not reported as a mistake of the person who signs in. */
const setupErrors = [
  'incorrect_client_credentials',
  'redirect_uri_mismatch',
  'application_suspended',
];

function refusedBy(error: string): ApiError {
  const github = /^[a-z_]{1,64}$/.test(error) ? error : 'unreadable';
  const detail = { github_error: github };
  if (!setupErrors.includes(github)) return new ApiError('invalid_code', undefined, { detail });
  return new ApiError('github_unavailable', 'GitHub does not accept this gateway', {
    detail,
    hint: 'compare client id, secret and callback address with those of the OAuth app on GitHub',
  });
}

async function askApi<Schema extends z.ZodType>(
  schema: Schema,
  { url, token }: { readonly url: string; readonly token: string },
  signal: AbortSignal,
): Promise<z.output<Schema>> {
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    // GitHub refuses requests that do not say what they are.
    'user-agent': 'clawdfather',
  };
  return parseAnswer(schema, await ask(url, { headers, signal }));
}

/* Redirects are not followed: they would carry the secret to wherever they lead. */
async function ask(url: string, init: RequestInit): Promise<unknown> {
  try {
    const answer = await fetch(url, { ...init, redirect: 'error' });
    const body = await readBounded(answer, answerBytesMax);
    if (answer.status !== 200 || body === undefined) throw unavailable({ status: answer.status });
    return JSON.parse(body);
  } catch (error) {
    throw error instanceof ApiError ? error : unavailable({}, error);
  }
}

function parseAnswer<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  // Not passed on as the cause, because its message quotes GitHub's answer.
  if (!parsed.success) throw unavailable({ reason: 'unexpected answer' });
  return parsed.data;
}

function unavailable(detail: Readonly<Record<string, unknown>>, cause?: unknown): ApiError {
  return new ApiError('github_unavailable', undefined, {
    detail,
    ...(cause === undefined ? {} : { cause }),
  });
}

function profileOf(
  user: z.output<typeof userAnswer>,
  emails: z.output<typeof emailsAnswer>,
): OauthProfile {
  const email = emails.find(({ primary, verified }) => primary && verified)?.email;
  const name = clean(user.name ?? '');
  const avatar = user.avatar_url ?? '';
  return {
    provider: 'github',
    providerUserId: String(user.id),
    login: clean(user.login),
    displayName: name === '' ? clean(user.login) : name,
    ...(email === undefined ? {} : { email: clean(email) }),
    ...(avatar.startsWith('https://') && avatar.length <= urlMax ? { avatarUrl: avatar } : {}),
  };
}

/* Its owner chose it freely, and it is shown in terminals and logs. */
function clean(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .slice(0, nameMax);
}

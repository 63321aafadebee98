/*
 * The page at `/` and its buttons, until the web app replaces it. It decides nothing: what it shows and does are handlers of the
 * API, called for the browser's cookie.
 *
 * Buttons are forms. The cookie is SameSite=Strict, and a change by cookie has to come from our own page (guards.ts). A browser says
 * so by its Origin, which it would leave out under the referrer policy of the other pages; this one says `same-origin`.
 */
import type { Clock } from '@clawdfather/kit';
import type { Api } from '@clawdfather/protocol/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { FairTurns } from '../accounts/fair-turns.ts';
import type { Authenticate } from '../auth/authenticate.ts';
import { formatEndedCookie, hasSessionCookie } from '../auth/session-cookie.ts';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';
import { checkCookieUse } from '../http/guards.ts';
import type { Handlers, RequestFacts } from '../http/handlers.ts';
import { RequestCall } from '../http/request-call.ts';
import { setPageHeaders } from '../http/security-headers.ts';
import type { CallerRuns, RunsFor } from '../runs/caller-runs.ts';
import { renderHome, renderRunPage, renderWelcome } from './render-home.ts';

export interface HomeParts {
  readonly authenticate: Authenticate;
  readonly turns: FairTurns;
  readonly clock: Clock;
  readonly runsFor: RunsFor;
  readonly offersGithub: boolean;
  readonly auth: Pick<Handlers<Api['auth']>, 'me' | 'devices' | 'signOut' | 'revokeDevice'>;
  readonly approvals: Pick<Handlers<Api['approvals']>, 'list' | 'decide'>;
}

/* As much as a person looks through on a phone; `clf ps` shows the rest. */
const rowsMax = 20;
/* Of a run's output, the last ones: enough to see how it goes. */
const linesMax = 200;
/* A button sends its name and its value. */
const formBytesMax = 1_024;

const decisionForm = z.strictObject({ decision: z.enum(['allow-once', 'deny']) });

/* By the code in the address after a button that did not work. The text is ours, whatever the address says. */
const notices: Readonly<Record<string, string>> = {
  already_decided: 'That was decided before.',
  expired: 'That waited too long: it has to be asked for again.',
  not_found: 'That is not there any more.',
  changed:
    'Nothing was started: what it is bound to had changed. It was asked again, and waits below.',
  not_started: 'It is allowed, but could not be started. clf approvals says more.',
  forbidden: 'That is not for you to decide.',
  failed: 'That did not work. Please try again.',
};

export function registerHome(server: FastifyInstance, parts: HomeParts): void {
  server.get('/', async (request, reply) => {
    const caller = await callerOf(parts, request, reply);
    setPageHeaders(reply).header('referrer-policy', 'same-origin').type('text/html; charset=utf-8');
    if (caller === undefined) return reply.send(renderWelcome(parts));
    await turnOf(parts, caller, { request, reply });
    return reply.send(await showHome(parts, factsOf(request, reply), { caller, request }));
  });
  server.get('/pages/runs/:id', async (request, reply) => {
    const caller = await callerOf(parts, request, reply);
    if (caller === undefined) return reply.redirect('/', 303);
    setPageHeaders(reply).type('text/html; charset=utf-8');
    const runs = parts.runsFor(caller, factsOf(request, reply));
    return showRun(runs, idOf(request).id, parts.clock.wallMs()).then(
      (html) => reply.send(html),
      (error: unknown) => reply.redirect(`/?said=${codeOf(error)}`, 303),
    );
  });
  server.register((scope, _options, done) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: formBytesMax },
      (_request, body, next) => next(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    registerButtons(scope, parts);
    done();
  });
}

/* As every endpoint has one (register-endpoints.ts). */
async function turnOf(
  { turns }: HomeParts,
  caller: Caller,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<void> {
  const { come, leave } = turns.enter(caller);
  request.leaveTurn = leave;
  reply.raw.on('close', leave);
  await come;
}

type Act = (
  call: RequestFacts & { readonly caller: Caller },
  request: FastifyRequest,
) => Promise<string | undefined>;

function registerButtons(scope: FastifyInstance, parts: HomeParts): void {
  const { auth, approvals } = parts;
  const nothing = { query: undefined, body: undefined };
  const button = (path: string, act: Act): void => {
    scope.post(path, async (request, reply) => {
      const caller = await callerOf(parts, request, reply);
      if (caller === undefined) return reply.redirect('/', 303);
      checkCookieUse(request, caller);
      await turnOf(parts, caller, { request, reply });
      const said = await act({ ...factsOf(request, reply), caller }, request).catch(codeOf);
      return reply.redirect(said === undefined ? '/' : `/?said=${said}`, 303);
    });
  };
  button('/pages/approvals/:id', async (call, request) => {
    const { decision } = decisionForm.parse(request.body);
    const body = { decision };
    const { problem, approval } = await approvals.decide({
      ...call,
      params: idOf(request),
      query: undefined,
      body,
    });
    if (problem === null) return undefined;
    return approval.askedAgainAs === null ? 'not_started' : 'changed';
  });
  button('/pages/devices/:id', async (call, request) => {
    await auth.revokeDevice({ ...call, ...nothing, params: idOf(request) });
    return undefined;
  });
  button('/pages/sign-out', async (call) => {
    await auth.signOut({ ...call, ...nothing, params: undefined });
    return undefined;
  });
}

async function showHome(
  { auth, approvals, runsFor, clock }: HomeParts,
  facts: RequestFacts,
  { caller, request }: { readonly caller: Caller; readonly request: FastifyRequest },
): Promise<string> {
  const page = { limit: rowsMax, offset: 0 };
  const call = { ...facts, caller, params: undefined, body: undefined };
  const { said } = request.query as { readonly said?: unknown };
  const waiting = await approvals.list({ ...call, query: { ...page, state: 'pending' } });
  const [{ account }, runs, devices] = await Promise.all([
    auth.me({ ...call, query: undefined }),
    startedRuns(runsFor(caller, facts), waiting.total),
    auth.devices({ ...call, query: page }),
  ]);
  return renderHome({
    account: account.display_name,
    nowMs: clock.wallMs(),
    notice: typeof said === 'string' && Object.hasOwn(notices, said) ? notices[said] : undefined,
    approvals: waiting,
    runs,
    devices,
  });
}

/* Living ones first, however old. Those that are held stand before them, and in a list of their own on this page. */
async function startedRuns(runs: Pick<CallerRuns, 'page'>, heldMax: number) {
  const [living, finished] = await Promise.all([
    runs.page({ state: 'running', limit: rowsMax + heldMax, offset: 0 }),
    runs.page({ state: 'finished', limit: rowsMax, offset: 0 }),
  ]);
  const started = living.items.filter(({ state }) => state !== 'held');
  const held = living.items.length - started.length;
  return {
    items: [...started, ...finished.items].slice(0, rowsMax),
    total: living.total - held + finished.total,
  };
}

async function showRun(runs: CallerRuns, runId: string, nowMs: number): Promise<string> {
  const run = await runs.show(runId);
  const {
    text,
    lines = 0,
    totalLines = 0,
  } = await runs.log({
    runId,
    offset: -linesMax,
    limit: linesMax,
  });
  return renderRunPage({ run, nowMs, text, isCut: totalLines > lines });
}

/* The device that the browser's cookie names. A cookie that is no good ends here, so that it does not count as an attempt again. */
async function callerOf(
  { authenticate }: HomeParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller | undefined> {
  const { cookie } = request.headers;
  if (!hasSessionCookie(cookie)) return undefined;
  try {
    const caller = await authenticate({ cookie, ip: request.ip });
    request.caller = caller;
    return caller?.kind === 'device' ? caller : undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    reply.header('set-cookie', formatEndedCookie());
    return undefined;
  }
}

function codeOf(error: unknown): string {
  if (error instanceof z.ZodError) return 'failed';
  if (!(error instanceof ApiError) || error.status >= 500) throw error;
  return Object.hasOwn(notices, error.code) ? error.code : 'failed';
}

function idOf(request: FastifyRequest): { readonly id: string } {
  return request.params as { readonly id: string };
}

function factsOf(request: FastifyRequest, reply: FastifyReply): RequestFacts {
  const { ip, userAgent, traceId, signal } = new RequestCall(request, reply);
  const header = (name: string): string | undefined => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const leaveTurn = (): void => request.leaveTurn?.();
  return { ip, userAgent, traceId, signal, header, reply, leaveTurn };
}

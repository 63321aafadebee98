/*
 * Joins the table of endpoints with their handlers.
 *
 * Stages of a request: 1 names and origin (create-server.ts) · 2 who is it · 3 may they · 4 how often · 5 is it their turn
 * (accounts/fair-turns.ts) · 6 is it of the right shape · 7 the handler · 8 the answer. A stage that refuses ends the request. So a stranger learns nothing about the
 * shape of a request, and a refused request costs little.
 */
import type { Clock } from '@clawdfather/kit';
import { type Access, api, type Endpoint, type EndpointGroup } from '@clawdfather/protocol/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FairTurns } from '../accounts/fair-turns.ts';
import type { SessionLimits } from '../accounts/session-bounds.ts';
import type { AuthenticateAgent } from '../auth/authenticate-agent.ts';
import type { Authenticate, Credentials, Recognise } from '../auth/authenticate.ts';
import { formatEndedCookie } from '../auth/session-cookie.ts';
import { ApiError } from './api-error.ts';
import { type Caller, checkAccess } from './caller.ts';
import { checkCookieUse } from './guards.ts';
import type { Call, Handlers } from './handlers.ts';
import { RequestCall } from './request-call.ts';
import { limitEndpoint } from './limit-endpoint.ts';
import { limitHeaders, type RateLimits } from './rate-limit.ts';
import type { Store } from '@clawdfather/store';

export interface RegisterDeps {
  readonly authenticate: Authenticate;
  readonly authenticateAgent: AuthenticateAgent;
  /* Absent with tracing, where every look-up has to have a span. */
  readonly recognise: Recognise | undefined;
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: RateLimits;
  readonly turns: FairTurns;
  readonly sessionLimits: Pick<SessionLimits, 'hitsMaxOf'>;
}

type AnyHandler = (call: Call<Endpoint>) => Promise<unknown>;

export function registerEndpoints<Group extends EndpointGroup>(
  server: FastifyInstance,
  deps: RegisterDeps,
  { group, handlers }: { readonly group: Group; readonly handlers: Handlers<Group> },
): void {
  for (const [name, endpoint] of Object.entries(group)) {
    // The mapped type has checked the pair; a loop over its keys cannot be typed.
    registerOne(server, deps, { endpoint, handler: handlers[name] as unknown as AnyHandler });
  }
}

function registerOne(
  server: FastifyInstance,
  deps: RegisterDeps,
  { endpoint, handler }: { readonly endpoint: Endpoint; readonly handler: AnyHandler },
): void {
  const { method, path, params, query, body, bytesMax } = endpoint;
  if (bytesMax !== undefined && !isOfBytes.has(server)) {
    registerBytes(server, bytesMax, (scope) => registerOne(scope, deps, { endpoint, handler }));
    return;
  }
  const status = endpoint.status ?? (endpoint.answer === undefined ? 204 : 200);
  server.route({
    method,
    url: path,
    config: { endpoint },
    schema: {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { querystring: query }),
      ...(body === undefined ? {} : { body }),
    },
    onRequest: (request, reply, next) => {
      // Most requests need no promise: the caller is known already, and the endpoint has no limit.
      if (endpoint.limit === undefined && admitAtOnce(deps, endpoint, request)) {
        awaitTurn(deps, { request, reply }, next);
      } else {
        admit(deps, { endpoint, request, reply }).then(
          () => awaitTurn(deps, { request, reply }, next),
          next,
        );
      }
    },
    handler: (request, reply) => {
      // Before the handler, which may have something else to say, such as 503 from /health.
      if (status !== 200) reply.code(status);
      return handler(new RequestCall(request, reply));
    },
  });
}

const isOfBytes = new WeakSet<FastifyInstance>();

/* In a scope of its own: everywhere else bytes are refused, and here JSON is. */
function registerBytes(
  server: FastifyInstance,
  bodyLimit: number,
  work: (scope: FastifyInstance) => void,
): void {
  server.register((scope, _options, done) => {
    isOfBytes.add(scope);
    scope.removeAllContentTypeParsers();
    const parser = { parseAs: 'buffer', bodyLimit } as const;
    scope.addContentTypeParser('application/octet-stream', parser, (_request, bytes, next) =>
      next(null, bytes),
    );
    work(scope);
    done();
  });
}

/* Until then nothing more of the request is read. */
export function awaitTurn(
  { turns }: Pick<RegisterDeps, 'turns'>,
  { request, reply }: Pick<Admission, 'request' | 'reply'>,
  next: () => void,
): void {
  const { caller } = request;
  if (caller === undefined) {
    next();
    return;
  }
  const { come, leave } = turns.enter(caller, Number(request.headers['content-length'] ?? 0));
  request.leaveTurn = leave;
  reply.raw.on('close', leave);
  if (come === undefined) next();
  // oxlint-disable-next-line promise/no-callback-in-promise -- a hook that does not always wait has a callback
  else void come.then(next);
}

interface Admission {
  readonly endpoint: Endpoint;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

function admitAtOnce(
  { recognise }: RegisterDeps,
  { access }: Endpoint,
  request: FastifyRequest,
): boolean {
  // An open endpoint also takes requests with an expired token.
  if (access === 'open') return true;
  const caller = recognise?.(request.headers, request.raw.socket);
  if (caller === undefined) return false;
  checkCaller(caller, access, request);
  return true;
}

/* Stages 2 to 4; throws an `ApiError`. */
export async function admit(deps: RegisterDeps, admission: Admission): Promise<void> {
  const { request, endpoint } = admission;
  const { access } = endpoint;
  if (access === 'agent' && (await admitAgent(deps, request))) {
    await limitRate(deps, admission);
    return;
  }
  if (access !== 'open') {
    const caller = await deps.authenticate(credentialsOf(request)).catch((error: unknown) => {
      takeBackCookie(admission, error);
      throw error;
    });
    if (caller === undefined) throw new ApiError('unauthorized');
    checkCaller(caller, access, request);
  }
  await limitRate(deps, admission);
}

/*
 * A cookie that is no good ends when the app asks who it is, so that it does not count as an attempt again. Nowhere else: the answer to
 * a request that began earlier may come after a new sign-in, and would end the new cookie.
 */
function takeBackCookie({ endpoint, request, reply }: Admission, error: unknown): void {
  const { authorization, cookie } = request.headers;
  if (endpoint !== api.auth.me || authorization !== undefined || cookie === undefined) return;
  if (error instanceof ApiError && error.status < 500) {
    reply.header('set-cookie', formatEndedCookie());
  }
}

/* False: it has no key of an agent, and is refused as any caller without the right. */
async function admitAgent(
  { authenticateAgent }: RegisterDeps,
  request: FastifyRequest,
): Promise<boolean> {
  const asking = await authenticateAgent(credentialsOf(request));
  request.agent = asking?.agent;
  request.caller = asking?.caller;
  return asking !== undefined;
}

function credentialsOf(request: FastifyRequest): Credentials {
  const { authorization, cookie } = request.headers;
  return { authorization, cookie, ip: request.ip };
}

function checkCaller(caller: Caller, access: Access, request: FastifyRequest): void {
  checkCookieUse(request, caller);
  checkAccess(caller, access);
  request.caller = caller;
}

async function limitRate(
  deps: RegisterDeps,
  { endpoint, request, reply }: Admission,
): Promise<void> {
  const { caller, ip } = request;
  const { id } = request.params as { readonly id?: string };
  const standing = await limitEndpoint(deps, endpoint, { caller, ip, id });
  if (standing !== undefined) reply.headers(limitHeaders(standing));
}

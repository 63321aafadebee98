/*
 * Joins the table of endpoints with their handlers.
 *
 * Stages of a request: 1 names and origin (server.ts) · 2 who is it · 3 may they · 4 how often · 5 is it of the right shape ·
 * 6 the handler · 7 the answer. A stage that refuses ends it, so a stranger learns nothing from the shape of a request and a
 * limited endpoint costs a stranger's request no more than a look.
 */
import type { Clock } from '@clawdfather/kit';
import type { Endpoint, EndpointGroup } from '@clawdfather/protocol/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate } from '../auth/authenticate.ts';
import { ApiError } from './api-error.ts';
import { type Caller, mayCall } from './caller.ts';
import { checkCookieUse } from './guards.ts';
import type { Call, Handlers } from './handlers.ts';
import { clientNetworkOf } from './client-network.ts';
import { limitHeaders, rateLimited, type RateLimits } from './rate-limit.ts';
import type { Store } from '@clawdfather/store';

export interface RegisterDeps {
  readonly authenticate: Authenticate;
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: RateLimits;
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
  const { method, path, params, query, body } = endpoint;
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
    onRequest: async (request, reply) => {
      request.caller = await admit(deps, endpoint, request);
      await limitRate(deps, { endpoint, request, reply });
    },
    handler: async (request, reply) => {
      const answer = await handler(callOf(request, reply));
      if (reply.sent) return reply;
      // A handler that has something else to say than the table, such as 503 from /health, has said it.
      if (reply.statusCode === 200) reply.code(status);
      return answer;
    },
  });
}

async function admit(
  { authenticate }: RegisterDeps,
  { access }: Endpoint,
  request: FastifyRequest,
): Promise<Caller | undefined> {
  // An open endpoint is open also to those who come with a token that has run out.
  if (access === 'open') return undefined;
  const { authorization, cookie } = request.headers;
  const caller = await authenticate({ authorization, cookie, ip: request.ip });
  if (caller === undefined) throw new ApiError('unauthorized');
  checkCookieUse(request, caller);
  if (!mayCall(caller, access)) {
    const detail = { needs: access, has: caller.scopes };
    throw new ApiError('forbidden', undefined, { detail });
  }
  return caller;
}

async function limitRate(
  { limits }: RegisterDeps,
  parts: { endpoint: Endpoint; request: FastifyRequest; reply: FastifyReply },
): Promise<void> {
  const { endpoint, request, reply } = parts;
  const { limit, method, path } = endpoint;
  if (limit === undefined) return;
  const subject = subjectOf(limit.per, request);
  const standing = await limits.count({ scope: `${method} ${path}`, subject, limit });
  if (!standing.isAllowed) throw rateLimited(standing);
  reply.headers(limitHeaders(standing));
}

function subjectOf(per: 'ip' | 'account' | 'connection', request: FastifyRequest): string {
  const account = request.caller?.accountId ?? '';
  if (per === 'ip') return clientNetworkOf(request.ip);
  if (per === 'account') return account;
  const { id } = request.params as { readonly id?: string };
  return `${account}/${id ?? ''}`;
}

function callOf(request: FastifyRequest, reply: FastifyReply): Call<Endpoint> {
  return {
    params: request.params as never,
    query: request.query as never,
    body: request.body,
    // `admit` has set it for every endpoint that is not open.
    caller: request.caller,
    ip: request.ip,
    userAgent: request.headers['user-agent'],
    traceId: request.trace.traceId,
    header: (name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? value : undefined;
    },
    // Made only for those who look: it costs a listener on the connection.
    get signal() {
      return request.lifetime.signal;
    },
    reply,
  };
}

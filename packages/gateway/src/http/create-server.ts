/*
 * The HTTP server, without any route: limits, guards, traces, and one shape for every refusal.
 */
import type { Socket } from 'node:net';
import type { Clock, Log, Random } from '@clawdfather/kit';
import { type Endpoint, gatewayHeader } from '@clawdfather/protocol/api';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { z } from 'zod';
import { createTraces, parseTraceparent, type TraceContext } from '../observe/trace-context.ts';
import type { AllowedNames } from './allowed-names.ts';
import { ApiError, bodyOf, notFound, toApiError } from './api-error.ts';
import type { KeyHolder } from '@clawdfather/agents';
import type { Caller } from './caller.ts';
import { createClientErrors } from './client-errors.ts';
import { cutHandshakesOnClose } from './cut-handshakes.ts';
import type { GatewayHeader } from './gateway-header.ts';
import { checkEncoding, checkNames } from './guards.ts';
import { isTooDeep } from './json-depth.ts';
import { setSecurityHeaders } from './security-headers.ts';
import { isWebSocketUpgrade } from './web-socket-upgrade.ts';
import { type StartGate, untilOpen } from './start-gate.ts';
import { createTimeLimit, type TimeLimit, type Waiting } from './time-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined;
    /* At the endpoints for agents: the one that asks. */
    agent: KeyHolder | undefined;
    trace: TraceContext;
    /* Made at the first use: most requests end before they could be cancelled. */
    readonly lifetime: AbortController;
    startedMs: number;
    /* Of a request that has its turn (accounts/fair-turns.ts). */
    leaveTurn: (() => void) | undefined;
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint;
  }
}

export interface RequestReport {
  readonly method: string;
  /* The pattern, never the path itself: ids would make a label per row. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  readonly trace: TraceContext;
  readonly caller: Caller | undefined;
  readonly error: ApiError | undefined;
  /* A stream or a long poll: how long it took says nothing. */
  readonly takesLong: boolean;
}

export interface ServerDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly names: AllowedNames;
  readonly gatewayHeader: GatewayHeader;
  /* Absent: it is open. */
  readonly startGate?: StartGate;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /* Proxies that are trusted to name the client's address. */
  readonly trustedProxies: readonly string[];
  /* What `next` begins belongs to the request's trace, also what happens after a body has been read: the server binds it. */
  readonly enterTrace: (trace: TraceContext, next: () => void) => void;
  readonly onDone: (report: RequestReport) => void;
  /* For tests that cannot wait as long. */
  readonly arrival?: { readonly msMax: number; readonly lookMs: number };
}

/* Enough for a command line of the longest kind with its input; more is a mistake or an attack. */
const bodyBytesMax = 1_048_576;
const headerBytesMax = 16_384;
/* A handshake of TLS takes no longer, nor do a request line and headers, however slow the phone. */
const headersMsMax = 10_000;
/*
 * The limit for receiving a whole request with its body: as long as an answer may take. Without it a client that sends a byte now
 * and then would keep a connection for ever. Node checks it at this interval.
 */
const usualArrival = { msMax: 30_000, lookMs: 5_000 } as const;
/* Longer than a proxy's usual 60 s: of the two, it should be the one that closes. */
const keepAliveMs = 72_000;
const paramCharactersMax = 200;
/* Bodies are a few levels deep; forms that agents ask for may be some more. */
const jsonDepthMax = 64;
/* What proxies write into their logs for a client that did not wait for its answer. */
const clientGone = 499;

export function createServer(deps: ServerDeps): FastifyInstance {
  const { tls, trustedProxies, clock, arrival = usualArrival } = deps;
  const nextTrace = createTraces(deps.random);
  const clientErrors = createClientErrors({ ...deps, isTls: tls !== undefined, nextTrace });
  const options = {
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    bodyLimit: bodyBytesMax,
    keepAliveTimeout: keepAliveMs,
    requestTimeout: arrival.msMax,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: paramCharactersMax },
    // An address that no route could have: no hook sees it, so it gets its answer here.
    frameworkErrors: (_error: unknown, { raw }: FastifyRequest, reply: FastifyReply) => {
      clientErrors.note(raw.socket, reply.raw);
      setUsualHeaders(deps, reply);
      sendRefusal(reply, notFound());
    },
    clientErrorHandler: (error: Error, socket: Socket) => clientErrors.refuse(error, socket),
    // Ours is `trace`.
    genReqId: () => '',
    requestIdHeader: false,
  } as const;
  const http = {
    maxHeaderSize: headerBytesMax,
    headersTimeout: Math.min(headersMsMax, arrival.msMax),
    connectionsCheckingInterval: arrival.lookMs,
    // Two Host or two Authorization headers become one invalid value: a proxy may have checked either of them.
    joinDuplicateHeaders: true,
    // `checkNames` refuses a request without a Host header, in the form of our other refusals.
    requireHostHeader: false,
    shouldUpgradeCallback: isWebSocketUpgrade,
  };
  const server: FastifyInstance =
    tls === undefined
      ? fastify({ ...options, http })
      : fastify({ ...options, https: { ...http, ...tls, handshakeTimeout: http.headersTimeout } });
  if (tls !== undefined) cutHandshakesOnClose(server);
  const timeLimit = createTimeLimit(clock);
  decorate(server);
  server.removeContentTypeParser('text/plain');
  refuseDeepJson(server);
  server.setValidatorCompiler<z.ZodType>(({ schema }) => (data) => {
    const result = schema.safeParse(data);
    return result.success ? { value: result.data } : { error: toApiError(result.error) };
  });
  server.setSerializerCompiler(() => JSON.stringify);
  const beginning = { ...deps, nextTrace };
  if (deps.startGate !== undefined) server.addHook('onRequest', untilOpen(deps.startGate));
  server.addHook('onRequest', (request, reply, next) => {
    clientErrors.note(request.raw.socket, reply.raw);
    begin(beginning, request, reply);
    const route = routeOf(request);
    const waiting = route.takesLong ? undefined : limitTime(timeLimit, request, reply);
    // Not `onResponse`, which is not called when the client has gone, as it does at the end of every stream.
    reply.raw.on('close', () => {
      clientErrors.forget(request.raw.socket, reply.raw);
      if (waiting !== undefined) timeLimit.end(waiting);
      deps.onDone(reportOf(deps, route, { request, reply }));
    });
    deps.enterTrace(request.trace, () => {
      checkNames(deps.names, request);
      checkEncoding(request);
      next();
    });
  });
  server.setErrorHandler((error, request, reply) => refuse(deps, { error, request, reply }));
  server.setNotFoundHandler((request, reply) =>
    refuse(deps, { error: notFound(), request, reply }),
  );
  server.addHook('onClose', () => timeLimit.close());
  return server;
}

function refuseDeepJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  const parser = { parseAs: 'string' } as const;
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser('application/json', parser, (request, body, done) => {
    const text = String(body);
    if (isTooDeep(text, jsonDepthMax)) {
      done(new ApiError('validation_error', `no deeper than ${jsonDepthMax} levels`));
    } else void parse(request, text, done);
  });
}

const lifetimes = new WeakMap<FastifyRequest, AbortController>();
const refusals = new WeakMap<FastifyRequest, ApiError>();

function decorate(server: FastifyInstance): void {
  server.decorateRequest('caller', undefined);
  server.decorateRequest('agent', undefined);
  server.decorateRequest('leaveTurn', undefined);
  server.decorateRequest('trace');
  server.decorateRequest('startedMs', 0);
  server.decorateRequest('lifetime', {
    getter(this: FastifyRequest) {
      return lifetimeOf(this);
    },
  });
}

function lifetimeOf(request: FastifyRequest): AbortController {
  const known = lifetimes.get(request);
  if (known !== undefined) return known;
  const lifetime = new AbortController();
  lifetimes.set(request, lifetime);
  const { socket } = request.raw;
  if (socket.destroyed) lifetime.abort();
  else {
    const onClose = (): void => lifetime.abort();
    socket.once('close', onClose);
    // One connection serves many requests.
    request.raw.once('close', () => socket.off('close', onClose));
  }
  return lifetime;
}

interface Beginning extends Pick<ServerDeps, 'clock' | 'tls' | 'gatewayHeader'> {
  readonly nextTrace: () => TraceContext;
}

function begin(deps: Beginning, request: FastifyRequest, reply: FastifyReply): void {
  const { traceparent } = request.headers;
  request.startedMs = deps.clock.monotonicMs();
  request.trace =
    (typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined) ??
    deps.nextTrace();
  reply.header('x-trace-id', request.trace.traceId);
  setUsualHeaders(deps, reply);
}

function setUsualHeaders(
  { tls, gatewayHeader: header }: Pick<ServerDeps, 'tls' | 'gatewayHeader'>,
  reply: FastifyReply,
): void {
  setSecurityHeaders(reply, tls !== undefined);
  const text = header();
  if (text !== undefined) reply.header(gatewayHeader, text);
}

type Route = Pick<RequestReport, 'route' | 'takesLong'>;

/* Kept, because Fastify builds the options anew at every call. */
function routeOf({ routeOptions: { url = 'unknown', config } }: FastifyRequest): Route {
  return { route: url, takesLong: config.endpoint?.takesLong === true };
}

function limitTime(timeLimit: TimeLimit, request: FastifyRequest, reply: FastifyReply): Waiting {
  return timeLimit.start(request.startedMs, () => {
    const late = new ApiError('timeout');
    lifetimes.get(request)?.abort(late);
    if (!reply.sent) reply.send(late);
  });
}

function refuse(
  { log }: ServerDeps,
  { error, request, reply }: { error: unknown; request: FastifyRequest; reply: FastifyReply },
): void {
  const refusal = toApiError(error);
  refusals.set(request, refusal);
  const { code, status } = refusal;
  if (status >= 500) {
    log.error('api.request.failed', {
      component: 'api',
      trace_id: request.trace.traceId,
      route: request.routeOptions.url,
      code,
      error: refusal.cause,
    });
  }
  sendRefusal(reply, refusal);
}

function sendRefusal(reply: FastifyReply, refusal: ApiError): void {
  reply.code(refusal.status).headers(refusal.headers).send(bodyOf(refusal));
}

function reportOf(
  { clock }: ServerDeps,
  { route, takesLong }: Route,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): RequestReport {
  return {
    method: request.method,
    route,
    status: reply.raw.headersSent ? reply.statusCode : clientGone,
    durationMs: clock.monotonicMs() - request.startedMs,
    trace: request.trace,
    caller: request.caller,
    error: refusals.get(request),
    takesLong,
  };
}

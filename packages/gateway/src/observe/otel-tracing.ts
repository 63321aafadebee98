/*
 * Tracing with OpenTelemetry. Loaded only when there is a collector to send to; nothing else imports the library.
 *
 * Which span is the current one is kept in an AsyncLocalStorage of our own, so the library's global registrations are not
 * used and two gateways in one process do not meet. Spans are sent in the background, in batches, and dropped when the
 * collector does not take them: a request never waits for it and never fails for it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace as api,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import type { Clock } from '@clawdfather/kit';
import type { QueryObservation } from '@clawdfather/store';
import { openSpanSender, type SpanSender } from './otel-sender.ts';
import { createSpanTime } from './span-time.ts';
import type { TraceContext } from './trace-context.ts';
import type {
  EndedSpan,
  RequestSpans,
  SpanName,
  SpanOptions,
  Tracing,
  TracingDeps,
} from './tracing.ts';

const withDuration: ReadonlySet<SpanName> = new Set(['ssh.connect', 'ssh.exec']);

interface Parts {
  readonly tracer: Tracer;
  readonly sender: SpanSender;
  readonly current: AsyncLocalStorage<Context>;
  readonly now: () => number;
  readonly clock: Clock;
}

export function openOtelTracing(endpoint: string, deps: TracingDeps): Tracing {
  const sender = openSpanSender(endpoint, deps);
  const parts: Parts = {
    tracer: sender.tracer,
    sender,
    current: new AsyncLocalStorage<Context>(),
    now: createSpanTime(deps.clock),
    clock: deps.clock,
  };
  return {
    inSpan: (options, work) => inSpan(parts, options, async (span) => work(span)),
    openSpan: (options) => openSpan(parts, options),
    noteSpan: (span) => noteSpan(parts, span),
    within: (trace, work) => parts.current.run(contextOf(trace), work),
    apart: (work) => parts.current.exit(work),
    currentSpanId: () => currentSpanId(parts),
    requests: createRequestSpans(parts),
    onQuery: (observation) => noteQuery(parts, observation),
    [Symbol.asyncDispose]: () => sender.close(),
  };
}

interface WorkSpan {
  set(attributes: Attributes): void;
  fail(why: string): void;
}

function workOn(span: Span): WorkSpan {
  return {
    set: (more) => void span.setAttributes(more),
    fail: (why) => void span.setStatus({ code: SpanStatusCode.ERROR, message: why }),
  };
}

/* One that was ended already takes nothing more: the library says so in its own log, once for each call. */
function openSpan(
  parts: Parts,
  { name, attributes }: Pick<SpanOptions<SpanName>, 'name' | 'attributes'>,
): WorkSpan & { end(): void } {
  const { current, now, clock } = parts;
  const sinceMs = clock.monotonicMs();
  const parent = current.getStore() ?? ROOT_CONTEXT;
  const span = startSpan(parts, { name, parent, attributes });
  return {
    ...workOn(span),
    end: () => {
      if (!span.isRecording()) return;
      if (withDuration.has(name)) span.setAttribute('duration_ms', clock.monotonicMs() - sinceMs);
      span.end(now());
    },
  };
}

async function inSpan<Value>(
  parts: Parts,
  { name, attributes, root }: SpanOptions<SpanName>,
  work: (span: WorkSpan) => Promise<Value>,
): Promise<Value> {
  const { current, now, clock } = parts;
  const sinceMs = clock.monotonicMs();
  const parent = root === undefined ? (current.getStore() ?? ROOT_CONTEXT) : contextOf(root);
  const span = startSpan(parts, { name, parent, trace: root, attributes });
  try {
    return await current.run(api.setSpan(parent, span), () => work(workOn(span)));
  } catch (error) {
    // The name, not the message, which may contain a secret.
    const name = error instanceof Error ? error.name : 'unknown';
    span.setStatus({ code: SpanStatusCode.ERROR, message: name });
    throw error;
  } finally {
    if (withDuration.has(name)) span.setAttribute('duration_ms', clock.monotonicMs() - sinceMs);
    span.end(now());
  }
}

function createRequestSpans(parts: Parts): RequestSpans {
  const { current, now } = parts;
  const open = new WeakMap<TraceContext, Span>();
  return {
    enter: (trace, next) => {
      const parent = contextOf(trace);
      const span = startSpan(parts, { name: 'api.request', parent, trace, kind: SpanKind.SERVER });
      open.set(trace, span);
      current.run(api.setSpan(parent, span), next);
    },
    leave: ({ trace, method, route, status }) => {
      const span = open.get(trace);
      if (span === undefined) return;
      open.delete(trace);
      span.setAttributes({
        'http.method': method,
        'http.route': route,
        'http.status_code': status,
      });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(now());
    },
  };
}

function currentSpanId({ current }: Parts): string | undefined {
  const context = current.getStore();
  return context && api.getSpanContext(context)?.spanId;
}

/* Below its parent, or as the first of its trace; with the id that the others name as theirs. */
function noteSpan({ tracer, sender }: Parts, ended: EndedSpan<SpanName>): void {
  const { name, attributes, trace, startMs, endMs, failure } = ended;
  const { traceId, spanId } = trace;
  const options = { kind: SpanKind.INTERNAL, startTime: startMs, attributes };
  const span = sender.withIds({ traceId, spanId }, () =>
    tracer.startSpan(name, options, contextOf(trace)),
  );
  if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
  span.end(endMs);
}

/* A statement outside every span belongs to no trace: the clean-up's would bury the others. */
function noteQuery({ tracer, current, now }: Parts, observation: QueryObservation): void {
  const parent = current.getStore();
  if (parent === undefined) return;
  const { operation, table, durationMs, isDone } = observation;
  const endMs = now();
  const attributes = {
    operation,
    ...(table === undefined ? {} : { table }),
    duration_ms: durationMs,
  };
  const startTime = endMs - durationMs;
  const span = tracer.startSpan(
    'db.query',
    { kind: SpanKind.CLIENT, startTime, attributes },
    parent,
  );
  if (!isDone) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(endMs);
}

interface SpanStart {
  readonly name: string;
  readonly parent: Context;
  readonly trace?: TraceContext | undefined;
  readonly attributes?: Attributes | undefined;
  readonly kind?: SpanKind;
}

function startSpan(
  { tracer, sender, now }: Parts,
  { name, parent, trace, attributes, kind = SpanKind.INTERNAL }: SpanStart,
): Span {
  const startTime = now();
  return sender.withIds({ traceId: trace?.traceId }, () =>
    tracer.startSpan(
      name,
      { kind, startTime, ...(attributes === undefined ? {} : { attributes }) },
      parent,
    ),
  );
}

/* Of a trace that begins here there is no parent; its first span takes the trace's id (`withIds`). */
function contextOf({ traceId, parentSpanId, isSampled }: TraceContext): Context {
  if (parentSpanId === undefined) return ROOT_CONTEXT;
  return api.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId: parentSpanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
  });
}

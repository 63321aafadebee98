/*
 * Spans, as the rest of the gateway sees them: the table of docs/observability.md, typed, and nothing of the library.
 *
 * Without an endpoint there is no tracing: the library is never loaded, and a span is the call of a function.
 */
import type { Clock, Log, Random } from '@clawdfather/kit';
import type { QueryObserver } from '@clawdfather/store';
import type { TraceContext } from './trace-context.ts';
import type { TurnTrace } from './turn-trace.ts';

/* Name → attributes. `duration_ms` is added to those of the table that have it, when they end. */
export interface SpanAttributes {
  'auth.validate_token': { account_id: string };
  'ssh.connect': { host: string; port: number };
  'ssh.exec': { command_hash: string; exit_code: number };
  'agent.spawn': { agent_session_id: string };
  'agent.process_message': { session_lease_id: string; message_length: number };
}

export type SpanName = keyof SpanAttributes;

export interface OpenSpan<Name extends SpanName> {
  /* What is known only later, such as an exit code. */
  set(attributes: Partial<SpanAttributes[Name]>): void;
  /* It did not come about, and nothing was thrown. `why` is one of our own words, never a text of others. */
  fail(why: string): void;
}

/* Of work whose end is an event and no promise. */
export interface EndableSpan<Name extends SpanName> extends OpenSpan<Name> {
  /* Once; a second call does nothing. */
  end(): void;
}

export interface SpanOptions<Name extends SpanName> {
  readonly name: Name;
  readonly attributes?: Partial<SpanAttributes[Name]>;
  /* Begins here, or goes on with what another program began: for messages of a socket, which have no request around them. */
  readonly root?: TraceContext;
}

/* Whose ids were given before, and below which others may have been sent already. */
export interface EndedSpan<Name extends SpanName> {
  readonly name: Name;
  readonly attributes: SpanAttributes[Name];
  readonly trace: TurnTrace;
  readonly startMs: number;
  readonly endMs: number;
  /* One of our own words: it did not come about. */
  readonly failure?: string;
}

export interface Tracing extends AsyncDisposable {
  /* What `work` does, and everything it waits for, is inside the span. A failure is noted and thrown on. */
  inSpan<Name extends SpanName, Value>(
    options: SpanOptions<Name>,
    work: (span: OpenSpan<Name>) => Promise<Value>,
  ): Promise<Value>;
  /* Inside what is being worked on now. Nothing else is inside of it. */
  openSpan<Name extends SpanName>(options: Omit<SpanOptions<Name>, 'root'>): EndableSpan<Name>;
  /* A span that is told of when it is over. */
  noteSpan<Name extends SpanName>(span: EndedSpan<Name>): void;
  /* What `work` does is below the span that this trace names. */
  within<Value>(trace: TraceContext, work: () => Value): Value;
  /* What `work` does is in no span. */
  apart<Value>(work: () => Value): Value;
  /* Of the span that is being worked in. */
  currentSpanId(): string | undefined;
  /* Absent when there is no tracing, so that nothing is done per request or statement. */
  readonly requests: RequestSpans | undefined;
  readonly onQuery: QueryObserver | undefined;
}

export interface RequestSpans {
  /* What `next` begins is inside the request's span. */
  enter(trace: TraceContext, next: () => void): void;
  leave(report: {
    readonly trace: TraceContext;
    readonly method: string;
    readonly route: string;
    readonly status: number;
  }): void;
}

export interface TracingDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly version: string;
}

const noSpan: EndableSpan<never> = { set: () => {}, fail: () => {}, end: () => {} };

export const noTracing: Tracing = {
  inSpan: (_options, work) => work(noSpan),
  openSpan: () => noSpan,
  noteSpan: () => {},
  within: (_trace, work) => work(),
  apart: (work) => work(),
  currentSpanId: () => undefined,
  requests: undefined,
  onQuery: undefined,
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

/* `endpoint`: a collector's OTLP over HTTP, such as `http://127.0.0.1:4318`. */
export async function openTracing(
  endpoint: string | undefined,
  deps: TracingDeps,
): Promise<Tracing> {
  if (endpoint === undefined) return noTracing;
  const { openOtelTracing } = await import('./otel-tracing.ts');
  return openOtelTracing(endpoint, deps);
}

/*
 * Sends spans to a collector: OTLP over HTTP, as JSON.
 *
 * A collector that is slow, broken or gone costs memory for the spans that wait, up to a limit, and a line in the log per
 * minute. Nothing else.
 */
import { within } from '@clawdfather/kit';
import type { Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { TracingDeps } from './tracing.ts';

interface SpanIds {
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
}

export interface SpanSender {
  readonly tracer: Tracer;
  /*
   * A span without a parent that `start` makes belongs to this trace: the one the client is told. With a span id, it has that one.
   */
  withIds<Value>(ids: SpanIds, start: () => Value): Value;
  /* Sends what is left, for two seconds at most. */
  close(): Promise<void>;
}

/* A collector is near; one that takes longer is not taking part. Also less than what closing may take. */
const sendMsMax = 1_500;
const closeMsMax = 2_000;
/* A trace can be looked at this soon after. */
const sendEveryMs = 2_000;
/* At some 1 KB a span, what waits stays below 8 MB. */
const waitingSpansMax = 8_192;
const complainEveryMs = 60_000;

export function openSpanSender(endpoint: string, deps: TracingDeps): SpanSender {
  const { clock, random, version } = deps;
  let next: SpanIds = {};
  const hex = (bytes: number): string => Buffer.from(random.bytes(bytes)).toString('hex');
  const exporter = complaining(
    new OTLPTraceExporter({ url: tracesUrl(endpoint), timeoutMillis: sendMsMax }),
    deps,
  );
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'clawdfather', 'service.version': version }),
    idGenerator: {
      generateTraceId: () => next.traceId ?? hex(16),
      generateSpanId: () => next.spanId ?? hex(8),
    },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: sendEveryMs,
        exportTimeoutMillis: sendMsMax,
        maxQueueSize: waitingSpansMax,
      }),
    ],
  });
  return {
    tracer: provider.getTracer('clawdfather', version),
    withIds: (ids, start) => {
      next = ids;
      try {
        return start();
      } finally {
        next = {};
      }
    },
    close: async () => {
      // `complaining` has said why.
      const sent = provider.shutdown().catch(() => {});
      await within(sent, { clock, ms: closeMsMax, late: () => {} });
    },
  };
}

/* The address of the collector, or already the one for traces. */
function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint);
  if (!url.pathname.endsWith('/v1/traces')) {
    url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  }
  return url.href;
}

function complaining(exporter: SpanExporter, { clock, log }: TracingDeps): SpanExporter {
  let complainedMs = Number.NEGATIVE_INFINITY;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const nowMs = clock.monotonicMs();
        if (result.code !== 0 && nowMs - complainedMs >= complainEveryMs) {
          complainedMs = nowMs;
          log.warn('tracing.send-failed', { spans: spans.length, error: result.error });
        }
        done(result);
      }),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

/*
 * What has to be there before anything else is opened: the log that knows traces, the tracer that the database is opened with,
 * and the counters. The rest (open-observe.ts) comes when there is something to look at.
 */
import type { Log } from '@clawdfather/kit';
import type { Supervisor, SupervisorObserver } from '@clawdfather/supervisor';
import type { GatewayConfig } from '../gateway-config.ts';
import type { GatewayDeps } from '../gateway-parts.ts';
import { createCurrentTrace, type CurrentTrace } from './current-trace.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createRunObserver } from './run-observer.ts';
import { createTracedLog } from './traced-log.ts';
import type { TraceContext } from './trace-context.ts';
import { openTracing, type Tracing } from './tracing.ts';

export interface Watch extends AsyncDisposable {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly current: CurrentTrace;
  /* For the supervisor; `knowRuns` as soon as there is one. */
  readonly observer: SupervisorObserver;
  knowRuns(supervisor: Pick<Supervisor, 'get'>): void;
  /* For the server: what `next` begins belongs to this trace. */
  readonly enterTrace: (trace: TraceContext, next: () => void) => void;
}

export async function openWatch(config: GatewayConfig, deps: GatewayDeps): Promise<Watch> {
  const current = createCurrentTrace();
  const { log, open } = createTracedLog(deps.log, current);
  const metrics = createMetrics();
  const tracing = await openTracing(config.otlpEndpoint, {
    ...deps,
    log,
    version: config.version,
  });
  const { requests } = tracing;
  return {
    log,
    metrics,
    tracing,
    current,
    observer: createRunObserver({ metrics, log }),
    knowRuns: (supervisor) => open((runId) => supervisor.get(runId)?.labels),
    enterTrace:
      requests === undefined
        ? (trace, next) => current.run(trace, next)
        : (trace, next) => current.run(trace, () => requests.enter(trace, next)),
    [Symbol.asyncDispose]: () => tracing[Symbol.asyncDispose](),
  };
}

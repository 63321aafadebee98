/*
 * Everything that watches, in one object: counters, spans, health and the hashes of commands. Opened after the database and
 * the runs, because it looks at them.
 */
import { readdir } from 'node:fs/promises';
import { type Clock, type Log, within } from '@clawdfather/kit';
import type { Store } from '@clawdfather/store';
import type { GatewayConfig } from '../gateway-config.ts';
import type { GatewayDeps } from '../gateway-parts.ts';
import { type CheckHealth, createCheckHealth } from '../health/check-health.ts';
import { sshBaseDirOf } from '../hosts/ssh-base-dir.ts';
import type { RequestReport } from '../http/create-server.ts';
import { type CommandHash, openCommandHash } from './command-hash.ts';
import { openEventLoopLag } from './event-loop-lag.ts';
import type { GaugeValues, Metrics } from './metrics.ts';
import type { MetricsText } from './metrics-text.ts';
import { newTrace, parseTraceparent, type TraceContext } from './trace-context.ts';
import type { Tracing } from './tracing.ts';
import type { Watch } from './open-watch.ts';

export interface Observe extends Disposable {
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly commandHash: CommandHash;
  readonly checkHealth: CheckHealth;
  /* One message of a socket: in the trace that its `traceparent` names, or in a new one. */
  readonly inMessage: <Value>(
    traceparent: string | undefined,
    work: () => Promise<Value>,
  ) => Promise<Value>;
  /* Of the request or message that is being worked on. */
  readonly currentTrace: () => TraceContext | undefined;
  /* What `work` does, of what this trace names: below its span, and with its id in every line. */
  readonly inTrace: <Value>(trace: TraceContext, work: () => Value) => Value;
  /* Work that goes on by itself belongs to no request. */
  readonly apart: <Value>(work: () => Value) => Value;
  /* Called once per request, when it has been answered. */
  readonly onDone: (report: RequestReport) => void;
  /* In the text that Prometheus reads. */
  formatMetrics(): Promise<MetricsText>;
  uptimeSeconds(): number;
  connectedWebsockets(): number;
  /* The sockets set this to say how many they are. */
  watchWebsockets(count: () => number): void;
}

export interface ObserveParts extends GatewayDeps {
  readonly config: GatewayConfig;
  readonly store: Store;
  readonly watch: Pick<Watch, 'metrics' | 'tracing' | 'current'>;
}

/* Beyond this a request gets a line of its own; the alert about slow requests begins at the same number. */
const slowRequestMs = 5_000;

export async function openObserve(parts: ObserveParts): Promise<Observe> {
  const { config, clock, random, log, store, watch } = parts;
  const { metrics, tracing, current } = watch;
  let countWebsockets = (): number => 0;
  const commandHash = await openCommandHash(config.stateDir, random);
  const lag = openEventLoopLag(clock);
  const startedMs = clock.monotonicMs();
  const startTimeSeconds = clock.wallMs() / 1000 - process.uptime();
  const { stateDir, database } = config;
  const databaseFile = database.kind === 'sqlite' ? database.path : undefined;
  const socketsDir = sshBaseDirOf(stateDir, config.runs.environment['XDG_RUNTIME_DIR']);
  const looked = { stateDir, socketsDir, databaseFile };
  const checkHealth = createCheckHealth({ clock, log, store, lag, ...looked });
  const gaugeValues = async (): Promise<GaugeValues> => {
    const [health, openFds, turns, lanes] = await Promise.all([
      checkHealth(),
      countOpenFds(),
      countTurns(store, clock),
      orUnknown(store.system.queue.counts(), clock),
    ]);
    const { user, system } = process.cpuUsage();
    return {
      activeSessions: health.activeSessions,
      activeControlmasters: health.activeControlmasters,
      connectedWebsockets: countWebsockets(),
      turns,
      lanes,
      health: health.status,
      stateFreeBytes: health.filesystem.freeBytes,
      eventLoopLagSeconds: lag.read(),
      residentMemoryBytes: process.memoryUsage.rss(),
      openFds,
      startTimeSeconds,
      cpuSeconds: (user + system) / 1e6,
    };
  };
  return {
    metrics,
    tracing,
    commandHash,
    checkHealth,
    inMessage: (traceparent, work) =>
      current.run(parseTraceparent(traceparent) ?? newTrace(random), work),
    currentTrace: () => current.get(),
    inTrace: (trace, work) => current.run(trace, () => tracing.within(trace, work)),
    apart: (work) => current.apart(() => tracing.apart(work)),
    onDone: createOnDone({ metrics, tracing, log }),
    formatMetrics: async () => metrics.format(await gaugeValues()),
    uptimeSeconds: () => (clock.monotonicMs() - startedMs) / 1000,
    connectedWebsockets: () => countWebsockets(),
    watchWebsockets: (count) => {
      countWebsockets = count;
    },
    [Symbol.dispose]: () => lag.close(),
  };
}

function createOnDone({
  metrics: { requests },
  tracing,
  log,
}: {
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly log: Log;
}): (report: RequestReport) => void {
  return (report) => {
    const { method, route, status, durationMs, trace } = report;
    // A stream lasts as long as its client listens; that is not a response time.
    if (!report.takesLong) requests.series(method, route, status).observe(durationMs);
    tracing.requests?.leave(report);
    if (durationMs > slowRequestMs && !report.takesLong) {
      log.warn('api.request.slow', {
        trace_id: trace.traceId,
        account_id: report.caller?.accountId,
        method,
        route,
        status,
        duration_ms: Math.round(durationMs),
      });
    }
  };
}

/* As long as a look at the database may take for the health. */
const countMsMax = 5_000;

/* A number that cannot be read now is left out. */
async function countTurns(
  { system: { threads } }: Store,
  clock: Clock,
): Promise<GaugeValues['turns']> {
  const [running, waiting] = await Promise.all([
    orUnknown(threads.runningTurns(), clock),
    orUnknown(threads.waitingTurns(), clock),
  ]);
  return { running, waiting };
}

function orUnknown<Value>(count: Promise<Value>, clock: Clock): Promise<Value | undefined> {
  return within(
    count.catch(() => undefined),
    { clock, ms: countMsMax, late: () => undefined },
  );
}

/* Linux only; elsewhere it is not known. */
async function countOpenFds(): Promise<number | undefined> {
  const names = await readdir('/proc/self/fd').catch(() => undefined);
  // One of them was the directory itself.
  return names === undefined ? undefined : names.length - 1;
}

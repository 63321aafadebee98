/*
 * The counters and histograms as events: a caller says what happened and needs no name of a series.
 *
 * The value of a gauge is computed when /metrics is read.
 */
import type { LaneCount } from '@clawdfather/agents';
import { assertNever } from '@clawdfather/kit';
import type { EndedSession, NewsListener } from '@clawdfather/sessions';
import type { Count } from '@clawdfather/supervisor';
import type { AuthObserver } from '../auth/auth-observer.ts';
import type { CleanupObserver } from '../cleanup/cleanup-observer.ts';
import { errorTypeOf } from './error-type.ts';
import {
  createHistogram,
  createNumbers,
  type Instrument,
  type Labels,
  type NumberInstrument,
  type Series,
} from './instruments.ts';
import { type MetricDefinition, metricCatalogue, type MetricName } from './metric-catalogue.ts';
import type { LagSeconds } from './event-loop-lag.ts';
import { createMetricsText, type MetricsText } from './metrics-text.ts';
import { createTurnCounts, labelOf, type TurnObserver } from './turn-counts.ts';
import { createRequestDurations, type RequestDurations } from './request-durations.ts';

/* What connections report. Calls are cheap and never throw. */
export interface SshObserver {
  tested(result: 'ok' | 'failed' | 'timeout' | 'host_key_changed' | 'host_key_unknown'): void;
  /* From the start of the ControlMaster to its socket. */
  connected(latencyMs: number): void;
  executed(end: {
    readonly result: 'ok' | 'failed' | 'timeout';
    readonly durationMs: number;
  }): void;
}

/* What gauges show. `undefined` where it cannot be known now; the series is then left out rather than wrong. */
export interface GaugeValues {
  readonly activeSessions: number | undefined;
  readonly activeControlmasters: number | undefined;
  readonly connectedWebsockets: number;
  readonly turns: Readonly<Record<'running' | 'waiting', number | undefined>>;
  /* Undefined: they cannot be counted now. */
  readonly lanes: readonly LaneCount[] | undefined;
  readonly health: 'ok' | 'degraded' | 'unhealthy';
  readonly stateFreeBytes: number | undefined;
  readonly eventLoopLagSeconds: LagSeconds;
  readonly residentMemoryBytes: number;
  readonly openFds: number | undefined;
  readonly startTimeSeconds: number;
  readonly cpuSeconds: number;
}

export interface Metrics {
  /* Counts what is told of sessions. */
  readonly sessions: NewsListener;
  readonly cleanup: CleanupObserver;
  readonly auth: AuthObserver;
  readonly ssh: SshObserver;
  readonly turns: TurnObserver;
  counted(count: Count): void;
  /* A call over JSON-RPC; a method that there is not is `unknown`. */
  rpc(method: string, outcome: 'ok' | 'refused' | 'failed'): void;
  /* An attempt to tell one on a channel outside. */
  notice(channel: string, end: 'sent' | 'pending' | 'failed' | 'skipped'): void;
  readonly requests: RequestDurations;
  /* In the text that Prometheus reads. */
  format(values: GaugeValues): Promise<MetricsText>;
}

interface Instruments {
  readonly all: readonly Instrument[];
  readonly count: (name: MetricName, labels?: Labels, by?: number) => void;
  readonly observe: (name: MetricName, value: number) => void;
  readonly set: (name: MetricName, value: number | undefined, labels?: Labels) => void;
}

export function createMetrics(): Metrics {
  const { all, count, observe, set } = createInstruments();
  const requests = createRequestDurations();
  const formatText = createMetricsText([...all, requests.instrument]);
  return {
    sessions: createSessionCounts({ count, observe }),
    cleanup: {
      ran: ({ failedSteps }) => {
        count('clawdfather_cleanup_runs_total');
        count('clawdfather_cleanup_failed_steps_total', {}, failedSteps.length);
      },
      skipped: () => count('clawdfather_cleanup_skipped_total'),
    },
    auth: {
      onSignIn: ({ result, provider }) => count('clawdfather_auth_total', { result, provider }),
    },
    ssh: createSshObserver({ count, observe }),
    turns: createTurnCounts({ count, observe }),
    counted: ({ name, labels, by }) => count(`clawdfather_${name}`, labels ?? {}, by),
    notice: (channel, end) => count('clawdfather_notice_attempts_total', { channel, end }),
    rpc: (method, outcome) => count('clawdfather_rpc_calls_total', { method, outcome }),
    requests,
    format: (values) => {
      setGauges(set, values);
      return formatText();
    },
  };
}

type Counting = Pick<Instruments, 'count' | 'observe'>;

function createSessionCounts({ count, observe }: Counting): NewsListener {
  return (news) => {
    switch (news.type) {
      case 'started':
        return count('clawdfather_session_start_total', { result: 'ok' });
      case 'start-failed':
        return count('clawdfather_session_start_total', { result: 'failed' });
      case 'adopted':
        return count('clawdfather_sessions_adopted_total');
      case 'ended':
        return countEnd({ count, observe }, news.session);
      default:
        return assertNever(news);
    }
  };
}

function countEnd({ count, observe }: Counting, session: EndedSession): void {
  const { cause, reason, error, lifeMs } = session;
  if (cause === 'lost') count('clawdfather_orphan_sessions_cleaned_total');
  if (error !== undefined && (cause === 'lost' || cause === 'failed')) {
    count('clawdfather_session_error_total', { error_type: errorTypeOf(session) });
    return;
  }
  count('clawdfather_session_close_total', { reason });
  observe('clawdfather_session_duration_minutes', lifeMs / 60_000);
}

function createSshObserver({ count, observe }: Counting): SshObserver {
  return {
    tested: (result) => count('clawdfather_connection_test_total', { result }),
    connected: (latencyMs) => observe('clawdfather_ssh_connect_latency_ms', latencyMs),
    executed: ({ result, durationMs }) => {
      count('clawdfather_ssh_exec_total', { result });
      observe('clawdfather_ssh_exec_duration_ms', durationMs);
    },
  };
}

function setGauges(set: Instruments['set'], values: GaugeValues): void {
  set('clawdfather_active_sessions', values.activeSessions);
  set('clawdfather_active_controlmasters', values.activeControlmasters);
  set('clawdfather_connected_websockets', values.connectedWebsockets);
  for (const state of metricCatalogue.clawdfather_turns.labels.state) {
    set('clawdfather_turns', values.turns[state], { state });
  }
  setLanes(set, values.lanes);
  for (const status of metricCatalogue.clawdfather_health_status.labels.status) {
    set('clawdfather_health_status', status === values.health ? 1 : 0, { status });
  }
  set('clawdfather_state_free_bytes', values.stateFreeBytes);
  for (const at of metricCatalogue.clawdfather_event_loop_lag_seconds.labels.at) {
    set('clawdfather_event_loop_lag_seconds', values.eventLoopLagSeconds[at], { at });
  }
  set('process_resident_memory_bytes', values.residentMemoryBytes);
  set('process_open_fds', values.openFds);
  set('process_start_time_seconds', values.startTimeSeconds);
  set('process_cpu_seconds_total', values.cpuSeconds);
}

function setLanes(set: Instruments['set'], lanes: GaugeValues['lanes']): void {
  const { agent: agents } = metricCatalogue.clawdfather_queue_agent_turns.labels;
  for (const state of metricCatalogue.clawdfather_queue_account_turns.labels.state) {
    const counts = lanes?.map((lane) => ({ ...lane, count: lane[state] }));
    for (const agent of agents) {
      const own = counts?.filter((lane) => labelOf(lane.agent) === agent);
      set('clawdfather_queue_agent_turns', own && sumOf(own), { agent, state });
    }
    const accounts = counts && Map.groupBy(counts, ({ accountId }) => accountId).values();
    const fullest = accounts && Math.max(0, ...[...accounts].map(sumOf));
    set('clawdfather_queue_account_turns', fullest, { state });
  }
}

function sumOf(lanes: readonly { readonly count: number }[]): number {
  return lanes.reduce((sum, { count }) => sum + count, 0);
}

function createInstruments(): Instruments {
  const numbers = new Map<string, NumberInstrument>();
  const histograms = new Map<string, Series>();
  const all: Instrument[] = [];
  for (const [name, definition] of Object.entries<MetricDefinition>(metricCatalogue)) {
    if (definition.type === 'histogram') {
      const histogram = createHistogram(name, definition);
      histograms.set(name, histogram.series({}));
      all.push(histogram);
    } else {
      const instrument = createNumbers(name, definition);
      numbers.set(name, instrument);
      all.push(instrument);
    }
  }
  return {
    all,
    count: (name, labels = {}, by = 1) => numbers.get(name)?.add(labels, by),
    observe: (name, value) => histograms.get(name)?.observe(value),
    set: (name, value, labels = {}) => numbers.get(name)?.set(labels, value),
  };
}

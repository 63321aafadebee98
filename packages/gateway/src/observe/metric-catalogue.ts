/*
 * Every metric there is, as data: name, kind, labels with all their values, buckets, help.
 *
 * Four tables as in docs/observability.md: sessions and requests, runs, agents, the gateway itself. Label values are listed
 * so that every series exists with zero from the start: an alert on a rate sees the first increase, and a dashboard shows a
 * line instead of a gap. `api_request_duration_ms` is the exception; its routes are known when they are asked for.
 */
import { builtInAgents, turnCodes } from '@clawdfather/agents';
import { rpcMethods } from '@clawdfather/protocol/acp';
import { terminationReasons } from '@clawdfather/supervisor';
import { askClasses, askOutcomes } from '@clawdfather/threads';

export interface MetricDefinition {
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  readonly labels?: Readonly<Record<string, readonly string[]>>;
  readonly buckets?: readonly number[];
}

const documented = {
  clawdfather_active_sessions: {
    type: 'gauge',
    help: 'Session leases with status active, in the shared database.',
  },
  clawdfather_active_controlmasters: {
    type: 'gauge',
    help: 'ControlMaster sockets on this machine.',
  },
  clawdfather_connected_websockets: {
    type: 'gauge',
    help: 'Open WebSocket connections of this gateway.',
  },
  clawdfather_session_start_total: {
    type: 'counter',
    help: 'Session start attempts.',
    labels: { result: ['ok', 'failed'] },
  },
  clawdfather_session_close_total: {
    type: 'counter',
    help: 'Sessions closed, by reason.',
    labels: { reason: ['user', 'timeout', 'error', 'server_closed', 'key_revoked'] },
  },
  clawdfather_session_error_total: {
    type: 'counter',
    help: 'Session errors, by where they happened.',
    labels: { error_type: ['ssh_connect', 'agent_spawn', 'runtime'] },
  },
  clawdfather_connection_test_total: {
    type: 'counter',
    help: 'Connection tests, by result.',
    labels: { result: ['ok', 'failed', 'timeout', 'host_key_changed', 'host_key_unknown'] },
  },
  clawdfather_auth_total: {
    type: 'counter',
    help: 'Sign-ins, by result and provider.',
    // `link` is the owner's login link.
    labels: { result: ['ok', 'failed'], provider: ['github', 'link', 'code'] },
  },
  clawdfather_ssh_exec_total: {
    type: 'counter',
    help: 'Commands on SSH hosts, by result.',
    labels: { result: ['ok', 'failed', 'timeout'] },
  },
  clawdfather_cleanup_runs_total: { type: 'counter', help: 'Runs of the clean-up job.' },
  clawdfather_orphan_sessions_cleaned_total: {
    type: 'counter',
    help: 'Orphaned sessions that the clean-up job has dealt with.',
  },
  clawdfather_ssh_connect_latency_ms: {
    type: 'histogram',
    help: 'From the start of a ControlMaster to its socket, in milliseconds.',
    buckets: [100, 250, 500, 1000, 2500, 5000, 10_000],
  },
  clawdfather_ssh_exec_duration_ms: {
    type: 'histogram',
    help: 'One command on an SSH host, in milliseconds.',
    buckets: [50, 100, 250, 500, 1000, 5000, 30_000, 120_000],
  },
  clawdfather_session_duration_minutes: {
    type: 'histogram',
    help: 'Sessions from start to close, in minutes.',
    buckets: [1, 5, 10, 30, 60, 120, 240],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

const ofRuns = {
  clawdfather_run_spawn_total: { type: 'counter', help: 'Runs asked for.' },
  clawdfather_run_exit_total: {
    type: 'counter',
    help: 'Runs that have settled, by reason.',
    labels: { reason: terminationReasons },
  },
  clawdfather_run_timeout_total: {
    type: 'counter',
    help: 'Runs ended by a time limit of theirs.',
    labels: { type: ['no_output', 'overall'] },
  },
  clawdfather_run_cleanup_kill_total: {
    type: 'counter',
    help: 'Processes killed when a tree was ended, by how they were reached.',
    labels: { mode: ['pid', 'pgid', 'job'] },
  },
  clawdfather_run_reconcile_orphans_total: {
    type: 'counter',
    help: 'Runs found without an owner by a reconciliation.',
  },
  clawdfather_run_lease_steal_total: {
    type: 'counter',
    help: 'Runs taken over from an owner that was dead or late.',
  },
  clawdfather_run_ownership_escape_total: {
    type: 'counter',
    help: 'Runs whose processes got away from their tree.',
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export const queueRefusals = ['agent_full', 'account_full', 'gateway_full', 'timeout'] as const;
export type QueueRefusal = (typeof queueRefusals)[number];

/* Those that people name themselves are `other`. */
const agents = [...builtInAgents.map(({ name }) => name), 'other'];

const ofAgents = {
  clawdfather_turns: {
    type: 'gauge',
    help: 'Turns that run and turns that wait, in the shared database.',
    labels: { state: ['running', 'waiting'] },
  },
  clawdfather_queue_agent_turns: {
    type: 'gauge',
    help: 'Turns that run and turns that wait in the lane of each agent, in the shared database.',
    labels: { agent: agents, state: ['running', 'waiting'] },
  },
  clawdfather_queue_account_turns: {
    type: 'gauge',
    help: 'Turns that run and turns that wait in the fullest lane of an account.',
    labels: { state: ['running', 'waiting'] },
  },
  clawdfather_queue_refusal_total: {
    type: 'counter',
    help: 'Turns for which no lane had room, by the lane that was full, or because they waited too long.',
    labels: { reason: queueRefusals },
  },
  clawdfather_turn_start_total: {
    type: 'counter',
    help: 'Turns that were started, by agent.',
    labels: { agent: agents },
  },
  clawdfather_turn_end_total: {
    type: 'counter',
    help: 'Turns that have ended, by result and agent.',
    labels: { result: turnCodes, agent: agents },
  },
  clawdfather_turn_duration_seconds: {
    type: 'histogram',
    help: 'Turns from their start to their end.',
    buckets: [1, 5, 15, 60, 300, 600, 1800, 3600],
  },
  clawdfather_turn_queue_wait_seconds: {
    type: 'histogram',
    help: 'How long turns waited before they were started.',
    buckets: [0.1, 1, 5, 30, 120, 600, 1800],
  },
  clawdfather_ask_total: {
    type: 'counter',
    help: 'Permissions and questions that agents have asked for.',
    labels: { class: askClasses },
  },
  clawdfather_ask_end_total: {
    type: 'counter',
    help: 'How permissions and questions were closed.',
    labels: { class: askClasses, outcome: askOutcomes },
  },
  clawdfather_ask_wait_seconds: {
    type: 'histogram',
    help: 'How long agents waited for an answer.',
    buckets: [1, 5, 15, 60, 300, 1800, 7200],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

const own = {
  clawdfather_sessions_adopted_total: {
    type: 'counter',
    help: 'Orphaned sessions that this gateway has taken over and goes on with.',
  },
  clawdfather_cleanup_skipped_total: {
    type: 'counter',
    help: 'Times the clean-up was due while the one before was still at it.',
  },
  clawdfather_cleanup_failed_steps_total: {
    type: 'counter',
    help: 'Steps of the clean-up that failed; the others were done.',
  },
  clawdfather_rpc_calls_total: {
    type: 'counter',
    help: 'Calls over JSON-RPC, by method and outcome.',
    // What clients make up is `unknown`.
    labels: {
      method: [...Object.keys(rpcMethods), 'unknown'],
      outcome: ['ok', 'refused', 'failed'],
    },
  },
  clawdfather_notice_attempts_total: {
    type: 'counter',
    help: 'Attempts to tell a notice outside, by channel and by how they ended; pending: it is tried again.',
    labels: {
      channel: ['webhook', 'ntfy', 'push'],
      end: ['sent', 'pending', 'failed', 'skipped'],
    },
  },
  clawdfather_health_status: {
    type: 'gauge',
    help: '1 for the state that /health reports, 0 for the others.',
    labels: { status: ['ok', 'degraded', 'unhealthy'] },
  },
  clawdfather_state_free_bytes: {
    type: 'gauge',
    help: 'Room left where the state and the journals are.',
  },
  clawdfather_event_loop_lag_seconds: {
    type: 'gauge',
    help: 'How late timers were in the last ten seconds or so.',
    labels: { at: ['median', 'p99', 'max'] },
  },
  process_resident_memory_bytes: { type: 'gauge', help: 'Memory of this process.' },
  process_open_fds: { type: 'gauge', help: 'Open descriptors of this process.' },
  process_start_time_seconds: { type: 'gauge', help: 'When this process started, in Unix time.' },
  process_cpu_seconds_total: {
    type: 'counter',
    help: 'Processor time of this process, user and system.',
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export const metricCatalogue = { ...documented, ...ofRuns, ...ofAgents, ...own } as const;

/* Made by request-durations.ts. Its labels tell which endpoint is slow. */
export const requestDurations = {
  name: 'clawdfather_api_request_duration_ms',
  type: 'histogram',
  help: 'API requests, in milliseconds. Streams and long polls are not in it: they last as long as somebody listens.',
  labelNames: ['method', 'route', 'status'],
  buckets: [10, 50, 100, 250, 500, 1000, 5000],
} as const;

export type MetricName = keyof typeof metricCatalogue;

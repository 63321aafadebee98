/*
 * The documented metrics and what a real gateway exports, both ways: nothing is missing, nothing is there that is not written
 * down, and Prometheus's own tool reads it.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { parseMetrics, type ParsedMetric } from '../fixtures/parse-metrics.ts';

/* Type, labels with values, buckets: as docs/observability.md has them. */
const documented: Readonly<Record<string, ParsedMetric>> = {
  clawdfather_active_sessions: { type: 'gauge', labels: {}, buckets: [] },
  clawdfather_active_controlmasters: { type: 'gauge', labels: {}, buckets: [] },
  clawdfather_connected_websockets: { type: 'gauge', labels: {}, buckets: [] },
  clawdfather_session_start_total: counter({ result: ['ok', 'failed'] }),
  clawdfather_session_close_total: counter({
    reason: ['user', 'timeout', 'error', 'server_closed'],
  }),
  clawdfather_session_error_total: counter({
    error_type: ['ssh_connect', 'agent_spawn', 'runtime'],
  }),
  clawdfather_connection_test_total: counter({
    result: ['ok', 'failed', 'timeout', 'host_key_changed'],
  }),
  clawdfather_auth_total: counter({ result: ['ok', 'failed'], provider: ['github'] }),
  clawdfather_ssh_exec_total: counter({ result: ['ok', 'failed', 'timeout'] }),
  clawdfather_cleanup_runs_total: counter({}),
  clawdfather_orphan_sessions_cleaned_total: counter({}),
  clawdfather_ssh_connect_latency_ms: histogram([100, 250, 500, 1000, 2500, 5000, 10_000]),
  clawdfather_ssh_exec_duration_ms: histogram([50, 100, 250, 500, 1000, 5000, 30_000, 120_000]),
  clawdfather_api_request_duration_ms: histogram([10, 50, 100, 250, 500, 1000, 5000]),
  clawdfather_session_duration_minutes: histogram([1, 5, 10, 30, 60, 120, 240]),
  clawdfather_run_spawn_total: counter({}),
  clawdfather_run_exit_total: counter({ reason: ['exit', 'signal', 'manual-cancel'] }),
  clawdfather_run_timeout_total: counter({ type: ['no_output', 'overall'] }),
  clawdfather_run_cleanup_kill_total: counter({ mode: ['pid', 'pgid', 'job'] }),
  clawdfather_run_reconcile_orphans_total: counter({}),
  clawdfather_run_lease_steal_total: counter({}),
  clawdfather_run_ownership_escape_total: counter({}),
  clawdfather_turns: { type: 'gauge', labels: { state: ['running', 'waiting'] }, buckets: [] },
  clawdfather_turn_start_total: counter({ agent: ['claude', 'opencode', 'other'] }),
  clawdfather_turn_end_total: counter({
    result: ['success', 'aborted', 'error', 'OPENCLAW_GATEWAY_LOST'],
    agent: ['claude', 'other'],
  }),
  clawdfather_turn_duration_seconds: histogram([1, 5, 15, 60, 300, 600, 1800, 3600]),
  clawdfather_turn_queue_wait_seconds: histogram([0.1, 1, 5, 30, 120, 600, 1800]),
  clawdfather_ask_total: counter({ class: ['permission', 'question'] }),
  clawdfather_ask_end_total: counter({
    class: ['permission', 'question'],
    outcome: ['allow_once', 'reject_always', 'accept', 'cancel', 'void'],
  }),
  clawdfather_ask_wait_seconds: histogram([1, 5, 15, 60, 300, 1800, 7200]),
};

function counter(labels: ParsedMetric['labels']): ParsedMetric {
  return { type: 'counter', labels, buckets: [] };
}

function histogram(buckets: readonly number[]): ParsedMetric {
  return { type: 'histogram', labels: {}, buckets };
}

let rig: TestGateway;
let text: string;
let exported: Readonly<Record<string, ParsedMetric>>;

before(async () => {
  rig = await openTestGateway();
  await rig.request('/api/v1/settings');
  text = await (await fetch(new URL('/metrics', rig.url))).text();
  exported = parseMetrics(text);
});

after(() => rig[Symbol.asyncDispose]());

test('every documented metric is there from the start, with its type, labels and buckets', () => {
  for (const [name, { type, labels, buckets }] of Object.entries(documented)) {
    const found = exported[name];
    assert.ok(found, `${name} is missing`);
    assert.deepEqual([found.type, found.buckets], [type, buckets], name);
    for (const [label, values] of Object.entries(labels)) {
      for (const value of values) {
        assert.ok(found.labels[label]?.includes(value), `${name} lacks ${label}="${value}"`);
      }
    }
    // The one for requests has labels that are known only when a request comes.
    if (name !== 'clawdfather_api_request_duration_ms') {
      assert.deepEqual(Object.keys(found.labels), Object.keys(labels), name);
    }
  }
});

test('docs/observability.md lists exactly what is exported, with the labels', async () => {
  const page = await readFile(
    new URL('../../../../docs/observability.md', import.meta.url),
    'utf8',
  );
  const rows = page.matchAll(/^\| `(\w+)` +\| (gauge|counter|histogram) +\| ([^|]*) \|/gm);
  const listed = Object.fromEntries(
    [...rows].map(([, name = '', type = '', labels = '']) => [
      name,
      { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label) },
    ]),
  );
  const real = Object.fromEntries(
    Object.entries(exported).map(([name, { type, labels }]) => [
      name,
      { type, labels: Object.keys(labels) },
    ]),
  );
  assert.deepEqual(listed, real);
});

test('promtool reads it, and complains only about units in names that are fixed', (context) => {
  const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  if (checked.error !== undefined) return context.skip('promtool is not installed');
  const complaints = checked.stderr.split('\n').filter((line) => line !== '');
  assert.deepEqual(
    complaints.map((line) => line.split(' ')[0]),
    [
      'clawdfather_api_request_duration_ms',
      'clawdfather_session_duration_minutes',
      'clawdfather_ssh_connect_latency_ms',
      'clawdfather_ssh_exec_duration_ms',
    ],
    checked.stderr,
  );
  for (const line of complaints) assert.match(line, /unit/);
  return undefined;
});

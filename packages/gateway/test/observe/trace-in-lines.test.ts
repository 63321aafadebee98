/*
 * Every line that a request or a run has caused carries its trace: over a whole gateway, with a real run.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { type Line, recordingLog } from '../fixtures/recording-log.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

test('lines about a run carry the trace and account of the request that started it, to its end and after', async () => {
  const lines: Line[] = [];
  await using rig = await openTestGateway({ deps: { log: recordingLog(lines) } });
  const ask = createAsk(rig);
  const started = await ask('POST', 'runs', {
    body: { command: 'exit 3', yieldMs: 20_000 },
    headers: { traceparent },
  });
  assert.equal(started.status, 201, started.text);
  const { runId } = started.body;
  // Another request, with another trace, about the same run.
  await ask('GET', `runs/${runId}`);
  const about = lines.filter(([, , fields]) => fields['runId'] === runId);
  const names = about.map(([, name]) => name);
  for (const name of ['run.spawn', 'run.exit']) {
    assert.ok(names.includes(name), `${name} among ${names.join(', ')}`);
  }
  for (const [, name, fields] of about) {
    assert.deepEqual(
      [fields['trace_id'], fields['account_id']],
      [traceId, rig.owner.accountId],
      name,
    );
  }
  const metrics = await (await fetch(new URL('/metrics', rig.url))).text();
  assert.match(metrics, /^clawdfather_run_spawn_total 1$/m);
  assert.match(metrics, /^clawdfather_run_exit_total\{reason="exit"\} 1$/m);
  // What was run is nobody's business who reads a log.
  assert.doesNotMatch(JSON.stringify(lines), /exit 3/);
});

test('a run that outlives its gateway keeps its trace in the lines of the next one', async () => {
  const lines: Line[] = [];
  await using first = await openTestGateway();
  const started = await createAsk(first)('POST', 'runs', {
    body: { command: 'sleep 60', background: true },
    headers: { traceparent },
  });
  assert.equal(started.status, 201, started.text);
  const { runId } = started.body;
  await first.gateway.close();
  {
    const { stateDir, database } = first.config;
    await using second = await openTestGateway({
      config: { stateDir, database },
      deps: { log: recordingLog(lines) },
    });
    const cancelled = await createAsk(second)('POST', `runs/${runId}/cancel`, { body: {} });
    assert.equal(cancelled.status, 200, cancelled.text);
  }
  const about = lines.filter(([, , fields]) => fields['runId'] === runId);
  const names = about.map(([, name]) => name);
  // The first was logged before there was a supervisor that could be asked for labels.
  for (const name of ['run.reconcile', 'run.exit']) {
    assert.ok(names.includes(name), `${name} among ${names.join(', ')}`);
  }
  for (const [, name, fields] of about) {
    const seen = [fields['trace_id'], fields['account_id']];
    assert.deepEqual(seen, [traceId, first.owner.accountId], name);
  }
});

test('a failure inside a request with a body is logged with its trace', async () => {
  const lines: Line[] = [];
  await using rig = await openTestGateway({ deps: { log: recordingLog(lines) } });
  const ask = createAsk(rig);
  // The token is believed for half a second; after that the database would be missed before the handler is.
  await ask('GET', 'settings');
  await rig.gateway.store.close();
  const failed = await ask('PATCH', 'settings', {
    body: { idle_timeout_seconds: 600 },
    headers: { traceparent },
  });
  assert.equal(failed.status, 503, failed.text);
  const line = lines.find(([, name]) => name === 'api.request.failed');
  assert.equal(line?.[2]['trace_id'], traceId);
});

/*
 * What a person who runs a gateway sees of its hosts, with a real sshd: the documented lines, numbers and spans, each where it
 * happens. Missed pings are in bad-wire.test.ts; the alerts on these numbers in deploy.test.ts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sshdSkip } from '@clawdfather/testkit';
import { openCollector, type SeenSpan } from '../fixtures/open-collector.ts';
import { type Line, recordingLog } from '../fixtures/recording-log.ts';
import { closeSessions, untilTrue, withHost, type World } from './host-world.ts';

async function numberOf({ rig }: World, series: string): Promise<number> {
  const text = await (await rig.request('/metrics')).text();
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  assert.ok(line !== undefined, `no ${series}`);
  return Number(line.slice(series.length));
}

function fieldsOf(lines: readonly Line[], name: string) {
  return lines.filter(([, each]) => each === name).map(([level, , fields]) => ({ level, fields }));
}

test('connections: lines and numbers, by their result', { skip: sshdSkip }, (t) => {
  const lines: Line[] = [];
  const work = async (world: World): Promise<void> => {
    const { ask, sshd, connectionId } = world;
    const { host, port, user: username } = sshd;
    const [tested] = fieldsOf(lines, 'ssh.connect.start').slice(-1);
    assert.equal(tested?.level, 'info');
    assert.partialDeepStrictEqual(tested.fields, { component: 'ssh', host, port, username });
    assert.equal(tested.fields['connection_id'], connectionId);
    const result = (word: string) =>
      numberOf(world, `clawdfather_connection_test_total{result="${word}"}`);
    assert.equal(await result('ok'), 1);
    const connects = await numberOf(world, 'clawdfather_ssh_connect_latency_ms_count');
    const made = await ask('POST', 'sessions', { body: { connection_id: connectionId } });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.equal(await numberOf(world, 'clawdfather_ssh_connect_latency_ms_count'), connects + 1);
    const [live] = fieldsOf(lines, 'ssh.connect.success').slice(-1);
    assert.equal(live?.level, 'info');
    assert.partialDeepStrictEqual(live.fields, { host, port });
    assert.equal(live.fields['session_lease_id'], made.body.session.id);
    assert.equal(typeof live.fields['latency_ms'], 'number');
    assert.equal(await numberOf(world, 'clawdfather_session_start_total{result="ok"}'), 1);
    // A look at health is believed for a second.
    await untilTrue(async () => (await numberOf(world, 'clawdfather_active_controlmasters')) === 1);
    await untilTrue(async () => (await numberOf(world, 'clawdfather_active_sessions')) === 1);

    await closeSessions(ask);
    await untilTrue(() => fieldsOf(lines, 'ssh.disconnect').length === 2);
    const [left] = fieldsOf(lines, 'ssh.disconnect').slice(-1);
    assert.equal(left?.level, 'info');
    assert.partialDeepStrictEqual(left.fields, { reason: 'exit', cause: 'closed' });
    await untilTrue(async () => (await numberOf(world, 'clawdfather_active_controlmasters')) === 0);
    assert.equal(await numberOf(world, 'clawdfather_session_close_total{reason="user"}'), 1);
    assert.equal(await numberOf(world, 'clawdfather_session_duration_minutes_count'), 1);

    sshd.authorizeNone();
    await ask('POST', 'sessions', { body: { connection_id: connectionId } });
    const [failed] = fieldsOf(lines, 'ssh.connect.failed').slice(-1);
    assert.equal(failed?.level, 'error');
    assert.partialDeepStrictEqual(failed.fields, { host, port, error: 'key-not-installed' });
    assert.match(String(failed.fields['stderr']), /Permission denied/);
    assert.equal(await numberOf(world, 'clawdfather_session_start_total{result="failed"}'), 1);
    const errors = 'clawdfather_session_error_total{error_type="ssh_connect"}';
    assert.equal(await numberOf(world, errors), 1);
    await ask('POST', `connections/${connectionId}/test`, { body: {} });
    assert.equal(await result('failed'), 1);
    await sshd.swapHostKey();
    await ask('POST', `connections/${connectionId}/test`, { body: {} });
    assert.equal(await result('host_key_changed'), 1);
  };
  return withHost(t, work, { deps: { log: recordingLog(lines) } });
});

test('commands: lines and numbers, by their result', { skip: sshdSkip }, (t) => {
  const lines: Line[] = [];
  const work = async (world: World): Promise<void> => {
    const { run, ask, sshd } = world;
    const secret = 'printf four; printf twelve-bytes >&2; exit 3';
    assert.equal((await run({ command: secret })).exitCode, 3);
    // A session that nobody asked for by name is one all the same.
    assert.equal(await numberOf(world, 'clawdfather_session_start_total{result="ok"}'), 1);
    assert.equal(fieldsOf(lines, 'session.start').length, 1);
    await untilTrue(() => fieldsOf(lines, 'ssh.exec.complete').length === 1);
    const [begun] = fieldsOf(lines, 'ssh.exec.start');
    assert.equal(begun?.level, 'debug');
    const hash = begun.fields['command_hash'];
    assert.match(String(hash), /^[0-9a-f]{64}$/);
    const [done] = fieldsOf(lines, 'ssh.exec.complete');
    assert.equal(done?.level, 'info');
    assert.partialDeepStrictEqual(done.fields, {
      exit_code: 3,
      stdout_bytes: 4,
      stderr_bytes: 12,
      session_lease_id: begun.fields['session_lease_id'],
    });
    assert.equal(typeof done.fields['duration_ms'], 'number');
    assert.equal((await run({ argv: ['true'] })).exitCode, 0);
    await run({ command: 'exec sleep 600', timeoutSeconds: 1 });
    await untilTrue(() => fieldsOf(lines, 'ssh.exec.timeout').length === 1);
    const [late] = fieldsOf(lines, 'ssh.exec.timeout');
    assert.equal(late?.level, 'warn');
    assert.equal(late.fields['timeout_ms'], 1_000, 'the limit, and not how long it took');
    const [, , sleep] = fieldsOf(lines, 'ssh.exec.start');
    assert.equal(late.fields['command_hash'], sleep?.fields['command_hash']);
    for (const result of ['ok', 'failed', 'timeout']) {
      assert.equal(await numberOf(world, `clawdfather_ssh_exec_total{result="${result}"}`), 1);
    }
    assert.equal(await numberOf(world, 'clawdfather_ssh_exec_duration_ms_count'), 3);
    const ours = lines.filter(([, name]) => name.startsWith('ssh.'));
    assert.doesNotMatch(JSON.stringify(ours), /printf|twelve|sleep/);

    await sshd.stop();
    await untilTrue(() =>
      fieldsOf(lines, 'ssh.disconnect').some(({ fields }) => fields['reason'] === 'error'),
    );
    const errors = 'clawdfather_session_error_total{error_type="runtime"}';
    await untilTrue(async () => (await numberOf(world, errors)) === 1);
    assert.equal((await ask('GET', 'sessions?status=active')).body.total, 0);
  };
  return withHost(t, work, { deps: { log: recordingLog(lines) } });
});

function only(spans: readonly SeenSpan[], name: string): SeenSpan {
  const found = spans.filter((span) => span.name === name);
  assert.equal(found.length, 1, `${found.length} × ${name}`);
  return found[0] as SeenSpan;
}

test('spans: of a connection and of a command, inside the request that asked for them', {
  skip: sshdSkip,
}, async (t) => {
  await using collector = await openCollector();
  const traces: string[] = [];
  let port = 0;
  const work = async ({ rig, sshd, connectionId, run, ask }: World): Promise<void> => {
    port = sshd.port;
    const post = async (path: string, body: object): Promise<void> => {
      const headers = { 'content-type': 'application/json' };
      const request = { method: 'POST', headers, body: JSON.stringify(body) };
      const answer = await rig.request(`/api/v1/${path}`, request);
      traces.push(answer.headers.get('x-trace-id') ?? '');
      await answer.text();
    };
    await post('sessions', { connection_id: connectionId });
    await post('runs', { host: 'web', command: 'exit 3', yieldMs: 20_000 });
    await post('runs', { host: 'web', argv: ['sleep', '600'], timeoutSeconds: 1, yieldMs: 20_000 });
    // Settled, when the next one is: each has left its place.
    await run({ argv: ['true'] });
    await closeSessions(ask);
    sshd.authorizeNone();
    await post('sessions', { connection_id: connectionId });
  };
  await withHost(t, work, { config: { otlpEndpoint: collector.url } });
  const of = (at: number): readonly SeenSpan[] =>
    collector.spans.filter(({ traceId }) => traceId === traces[at]);
  const connect = only(of(0), 'ssh.connect');
  assert.equal(connect.parentSpanId, only(of(0), 'api.request').spanId);
  const { duration_ms: connectMs, ...where } = connect.attributes;
  assert.deepEqual([where, typeof connectMs], [{ host: '127.0.0.1', port }, 'number']);
  assert.equal(connect.isError, false);
  const exec = only(of(1), 'ssh.exec');
  assert.equal(exec.parentSpanId, only(of(1), 'api.request').spanId);
  assert.equal(exec.attributes['exit_code'], 3);
  assert.equal(typeof exec.attributes['duration_ms'], 'number');
  assert.match(String(exec.attributes['command_hash']), /^[0-9a-f]{64}$/);
  const late = only(of(2), 'ssh.exec');
  assert.deepEqual([late.isError, late.attributes['exit_code']], [true, undefined]);
  assert.equal(only(of(3), 'ssh.connect').isError, true);
});

/*
 * /health, /readyz and /metrics of a whole gateway, as strangers, load balancers and Prometheus see them.
 */
import assert from 'node:assert/strict';
import { copyFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { jsonOf } from '../fixtures/api-client.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

const clock = createSystemClock();

test('/health has exactly what docs/observability.md shows, for everybody', async () => {
  await using rig = await openTestGateway();
  const answer = await fetch(new URL('/health', rig.url));
  assert.equal(answer.status, 200);
  const { checks, uptime_s: uptime, ...rest } = await jsonOf(answer);
  const { tmp_space_mb: space, ...filesystem } = checks.filesystem;
  const { latency_ms: latency, ...db } = checks.db;
  assert.deepEqual(rest, {
    status: 'ok',
    active_sessions: 0,
    active_controlmasters: 0,
    connected_websockets: 0,
    shield: null,
    version: '0.0.0-test',
  });
  assert.deepEqual(Object.keys(checks), ['db', 'filesystem']);
  assert.deepEqual([db, filesystem], [{ status: 'ok' }, { status: 'ok', tmp_writable: true }]);
  for (const number of [uptime, space, latency]) assert.ok(Number.isInteger(number));
});

test('a database that is gone is 503 for /health and /readyz; both still answer', async () => {
  await using rig = await openTestGateway();
  const ready = await fetch(new URL('/readyz', rig.url));
  assert.deepEqual(
    [ready.status, await ready.json()],
    [200, { status: 'ready', database: 'up', migrations: 'current' }],
  );
  await rig.gateway.store.close();
  // An answer is good for a second.
  let health = await fetch(new URL('/health', rig.url));
  while (health.status === 200) {
    await clock.sleep(50);
    health = await fetch(new URL('/health', rig.url));
  }
  const { status, checks, active_sessions: sessions } = await jsonOf(health);
  assert.deepEqual(
    [health.status, status, checks.db.status, sessions],
    [503, 'unhealthy', 'unhealthy', null],
  );
  const later = await fetch(new URL('/readyz', rig.url));
  assert.deepEqual(
    [later.status, await later.json()],
    [503, { status: 'not_ready', database: 'down', migrations: null }],
  );
});

test('a disk that refuses is degraded, which is still 200', async () => {
  await using rig = await openTestGateway();
  await rm(join(rig.config.stateDir, 'runs'), { recursive: true });
  const answer = await fetch(new URL('/health', rig.url));
  const { status, checks } = await jsonOf(answer);
  assert.deepEqual(
    [answer.status, status, checks.filesystem.tmp_writable],
    [200, 'degraded', false],
  );
});

test('/metrics is for this machine and configured networks; others are told there is nothing', async () => {
  await using rig = await openTestGateway({
    config: { trustedProxies: ['127.0.0.1'], metricsNetworks: ['10.1.0.0/16'] },
  });
  const read = (headers: Record<string, string>): Promise<Response> =>
    fetch(new URL('/metrics', rig.url), { headers });
  const direct = await read({});
  assert.equal(direct.status, 200);
  assert.match(direct.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  assert.match(await direct.text(), /^clawdfather_active_sessions 0$/m);
  assert.equal((await read({ 'x-forwarded-for': '10.1.2.3' })).status, 200);

  const stranger = await read({ 'x-forwarded-for': '8.8.8.8' });
  const nowhere = await fetch(new URL('/nothing', rig.url));
  assert.equal(stranger.status, 404);
  assert.deepEqual(await stranger.json(), await nowhere.json());
  // Whatever the client itself wrote before the proxy's word does not count.
  assert.equal((await read({ 'x-forwarded-for': '127.0.0.1, 8.8.8.8' })).status, 404);
});

test('requests are counted by route and class; what has not happened yet is there as zero', async () => {
  await using rig = await openTestGateway();
  await rig.request('/api/v1/settings');
  await rig.request('/api/v1/settings');
  await rig.request('/nothing/at/all');
  await fetch(new URL('/api/v1/settings', rig.url));
  const text = await (await fetch(new URL('/metrics', rig.url))).text();
  const count = (labels: string): string | undefined =>
    new RegExp(`^clawdfather_api_request_duration_ms_count\\{${labels}\\} (\\d+)$`, 'm').exec(
      text,
    )?.[1];
  assert.equal(count('method="GET",route="/api/v1/settings",status="2xx"'), '2');
  assert.equal(count('method="GET",route="/api/v1/settings",status="4xx"'), '1');
  assert.equal(count('method="GET",route="unknown",status="4xx"'), '1');
  assert.match(text, /^clawdfather_health_status\{status="ok"\} 1$/m);
  assert.match(text, /^clawdfather_run_exit_total\{reason="manual-cancel"\} 0$/m);
});

test('a database whose file was taken away or replaced is degraded, although it answers', async () => {
  for (const isReplaced of [false, true]) {
    await using rig = await openTestGateway();
    const { database } = rig.config;
    assert.ok(database.kind === 'sqlite');
    await rename(database.path, `${database.path}.away`);
    if (isReplaced) await copyFile(`${database.path}.away`, database.path);
    const { status, checks } = await jsonOf(await fetch(`${rig.url}/health`));
    assert.deepEqual([status, checks.db.status], ['degraded', 'degraded']);
    await rename(`${database.path}.away`, database.path);
  }
});

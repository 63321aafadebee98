/*
 * What an upgrade passes before it is a socket: name, page, path, number. Each refusal is an HTTP answer with a code.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usualAccountBounds } from '../../src/accounts/account-bounds.ts';
import { sessionCookie } from '../../src/auth/session-cookie.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { openRunSocket, startRun, TestSocket } from './fixtures.ts';

const path = `/ws/runs/${'0'.repeat(16)}`;

test('pages of other origins are refused before the upgrade, our own and no page are not', async () => {
  await using rig = await openTestGateway({ config: { publicUrl: 'https://clawd.example.org' } });
  const { port } = new URL(rig.url);
  for (const origin of [
    'null',
    'https://evil.example',
    'https://clawd.example.org.evil.example',
    'http://clawd.example.org',
    'https://clawd.example.org:444',
    'https://sub.clawd.example.org',
    `http://127.0.0.1:${Number(port) + 1}`,
    `https://127.0.0.1:${port}`,
  ]) {
    await using socket = new TestSocket(`${rig.url}${path}`, { origin });
    assert.deepEqual(await socket.refused(), { status: 403, code: 'origin_refused' }, origin);
  }
  for (const origin of ['https://clawd.example.org', rig.url, `http://localhost:${port}`]) {
    await using socket = new TestSocket(`${rig.url}${path}`, { origin });
    await socket.opened();
  }
  await using plain = new TestSocket(`${rig.url}${path}`);
  await plain.opened();
  assert.equal(rig.gateway.sockets.counts().refused['origin_refused'], 8);
});

test('a name that was bound to our address is not ours', async () => {
  await using rig = await openTestGateway();
  await using socket = new TestSocket(`${rig.url}${path}`, { headers: { host: 'evil.example' } });
  assert.deepEqual(await socket.refused(), { status: 421, code: 'host_refused' });
});

test('there is nothing at other paths, and nothing is taken from the address', async () => {
  await using rig = await openTestGateway();
  for (const other of ['/', '/ws', '/ws/runs/', '/ws/runs/UPPER', '/ws/runs/a/b', '/ws/x/abc']) {
    await using socket = new TestSocket(`${rig.url}${other}`);
    assert.deepEqual(await socket.refused(), { status: 404, code: 'not_found' }, other);
  }
  await using withToken = new TestSocket(`${rig.url}${path}?token=${rig.owner.token}`);
  assert.deepEqual(await withToken.refused(), { status: 400, code: 'validation_error' });
});

test('too many signed-in ones of one address are refused, and those that leave make room', async () => {
  await using rig = await openTestGateway({ config: { sockets: { perAddressMax: 2 } } });
  const runId = await startRun(rig, { command: 'sleep 60' });
  await using one = await openRunSocket(rig, runId);
  await using _two = await openRunSocket(rig, runId);
  await using three = new TestSocket(`${rig.url}${path}`);
  assert.deepEqual(await three.refused(), { status: 429, code: 'rate_limited' });
  await using elsewhere = new TestSocket(`${rig.url}${path}`, { localAddress: '127.0.0.2' });
  await elsewhere.opened();
  one.ws.close();
  await one.closed;
  await untilCount(rig, 1);
  await using _four = await openRunSocket(rig, runId);
});

test('too many signed-in ones in all are refused, at the upgrade or when they sign in', async () => {
  await using rig = await openTestGateway({ config: { sockets: { socketsMax: 1 } } });
  const runId = await startRun(rig, { command: 'sleep 60' });
  await using waits = await new TestSocket(`${rig.url}/ws/runs/${runId}`).opened();
  await using _first = await openRunSocket(rig, runId);
  waits.send({ type: 'auth', token: rig.owner.token });
  assert.equal((await waits.next('error')).code, 'unavailable');
  assert.equal((await waits.closed).code, 1013);
  await using late = new TestSocket(`${rig.url}${path}`);
  assert.deepEqual(await late.refused(), { status: 503, code: 'unavailable' });
});

test('too many of one account are told to come later', async () => {
  await using rig = await openTestGateway({
    config: { bounds: { ...usualAccountBounds, socketsMax: 1 } },
  });
  const runId = await startRun(rig, { command: 'sleep 60' });
  await using _first = await openRunSocket(rig, runId);
  await using second = await new TestSocket(`${rig.url}/ws/runs/${runId}`).opened();
  second.send({ type: 'auth', token: rig.owner.token });
  assert.equal((await second.next('error')).code, 'rate_limited');
  assert.equal((await second.closed).code, 1013);
});

test('behind a trusted proxy the client counts, and whoever is not trusted is not believed', async () => {
  const forwarded = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const sockets = { waitingPerAddressMax: 1 };
  {
    await using rig = await openTestGateway({ config: { trustedProxies: ['127.0.0.1'], sockets } });
    const at = (address: string) =>
      new TestSocket(`${rig.url}${path}`, forwarded(address)).opened();
    await using one = await at('203.0.113.1');
    await using two = await at('203.0.113.2');
    await using _same = await at('1.2.3.4, 203.0.113.2');
    assert.equal((await two.closed).code, 1013);
    assert.equal(one.ws.readyState, one.ws.OPEN);
  }
  await using rig = await openTestGateway({ config: { sockets } });
  await using one = await new TestSocket(`${rig.url}${path}`, forwarded('203.0.113.1')).opened();
  await using _two = await new TestSocket(`${rig.url}${path}`, forwarded('203.0.113.2')).opened();
  assert.equal((await one.closed).code, 1013);
});

test('a cookie is good only together with the Origin of our own page', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: 'sleep 60' });
  const cookie = `${sessionCookie}=${rig.owner.token}`;
  await using page = new TestSocket(`${rig.url}/ws/runs/${runId}`, {
    origin: rig.url,
    headers: { cookie },
  });
  await page.opened();
  page.send({ type: 'auth' });
  await page.next('run');
  await using bare = new TestSocket(`${rig.url}/ws/runs/${runId}`, { headers: { cookie } });
  await bare.opened();
  bare.send({ type: 'auth' });
  assert.equal((await bare.next('error')).code, 'unauthorized');
  assert.equal((await bare.closed).code, 4001);
});

async function untilCount(
  { gateway }: Awaited<ReturnType<typeof openTestGateway>>,
  count: number,
): Promise<void> {
  while (gateway.sockets.counts().run > count) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

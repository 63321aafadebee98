/*
 * Every answer says which gateway it comes from, and since which start; the sdk tells a restart from it.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import {
  formatGatewayHeader,
  gatewayHeader,
  isAppTooOld,
  parseGatewayHeader,
} from '@clawdfather/protocol/api';
import { createClient } from '@clawdfather/sdk';
import { createAllowedNames } from '../../src/http/allowed-names.ts';
import { createServer } from '../../src/http/create-server.ts';
import { createStartGate } from '../../src/http/start-gate.ts';
import { openGateway } from '../../src/open-gateway.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway, systemDeps } from '../fixtures/open-test-gateway.ts';
import { sendBytes } from '../fixtures/raw-request.ts';
import { openRunSocket, startRun, TestSocket } from '../socket/fixtures.ts';

const identityIn = (headers: Headers) => parseGatewayHeader(headers.get(gatewayHeader));

test('answers, refusals, streams and upgrades all name the gateway and its generation', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const good = await me.get('threads');
  const gateway = identityIn(good.headers);
  assert.equal(gateway?.generation, 1);
  assert.equal(gateway.version, '0.0.0-test');
  assert.ok(gateway.oldestApp);
  const stranger = callerOf(rig.url, 'clf_nobody');
  const answers = [
    await stranger.get('threads'),
    await me.get('/api/v1/nothing-here'),
    await me.get('threads/0000000000000000'),
    await me.post('threads', { agent: 7 }),
    await me.get('/health'),
  ];
  for (const { headers } of answers) assert.deepEqual(identityIn(headers), gateway);
  const runId = await startRun(rig, { command: 'cat' });
  await using events = await me.events(`/api/v1/runs/${runId}/output`);
  assert.deepEqual(identityIn(events.headers), gateway);
  const header = `${gatewayHeader}: ${good.headers.get(gatewayHeader)}\r\n`;
  assert.ok((await sendBytes(rig.url, 'no HTTP at all\r\n\r\n')).includes(header));
  const upgrade = 'Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  const refused = await sendBytes(rig.url, `GET /ws/nothing HTTP/1.1\r\n${upgrade}`);
  assert.ok(refused.startsWith('HTTP/1.1 404'), refused);
  assert.ok(refused.includes(header), refused);
  await using socket = new TestSocket(`${rig.url}/ws/runs/${runId}`);
  const shaken = new Promise<unknown>((resolve) => {
    socket.ws.once('upgrade', ({ headers }) => resolve(headers[gatewayHeader]));
  });
  assert.equal(await shaken, good.headers.get(gatewayHeader));
  socket.send({ type: 'auth', token: rig.owner.token });
  const { instanceId, generation, version } = gateway;
  const first = await socket.next('run');
  assert.deepEqual(first.gateway, { instance_id: instanceId, generation, version });
  await using other = await openRunSocket(rig, runId);
  assert.equal(other.messages.length, 0);
});

test('an app knows from it whether it is too old; what cannot be compared is not', () => {
  const headerOf = (oldestApp: string | undefined) =>
    parseGatewayHeader(
      formatGatewayHeader({ instanceId: 'i', generation: 1, version: '1', oldestApp }),
    ) ?? {};
  for (const [mine, oldest, isTooOld] of [
    ['0.9.9', '0.10.0', true],
    ['0.10.0', '0.9.9', false],
    ['1.0.0', '0.9.9', false],
    ['1.2.3', '1.2.3', false],
    ['1.2.3-rc.1', '1.2.3', false],
    ['1.2.3', '1.2.4', true],
    ['0.1.0', undefined, false],
    ['dev', '1.2.3', false],
    ['1.2.3', 'dev', false],
  ] as const) {
    assert.equal(isAppTooOld(mine, headerOf(oldest)), isTooOld, `${mine} ${oldest}`);
  }
});

test('a client is told of a restart once, and of a network that is down not at all', async () => {
  await using rig = await openTestGateway();
  let url = rig.url;
  const client = createClient({
    baseUrl: rig.url,
    token: rig.owner.token,
    fetch: (address, init) => fetch(address.replace(rig.url, url), init),
  });
  const restarts: unknown[] = [];
  client.gateway.onRestart(({ gateway, generationBefore }) =>
    restarts.push([generationBefore, gateway.generation]),
  );
  await client.threads.list();
  await client.threads.list();
  assert.equal(client.gateway.last?.generation, 1);
  await rig.gateway.close();
  await assert.rejects(client.threads.list(), { code: 'gateway-unreachable' });
  assert.deepEqual(restarts, []);
  await using next = await openGateway(rig.config, systemDeps());
  url = next.url;
  // A refusal tells it as well.
  await assert.rejects(client.threads.get({ params: { id: '0'.repeat(16) } }), {
    code: 'request-refused',
  });
  await client.threads.list();
  assert.deepEqual(restarts, [[1, 2]]);
});

test('what arrives between listening and the start waits, and its answer names the gateway', async () => {
  const startGate = createStartGate();
  const port = (): number => (server.server.address() as AddressInfo).port;
  const told: { header?: string } = {};
  await using server = createServer({
    ...systemDeps(),
    names: createAllowedNames({ publicUrl: undefined, port, isTls: false }),
    tls: undefined,
    trustedProxies: [],
    gatewayHeader: () => told.header,
    startGate,
    enterTrace: (_trace, next) => next(),
    onDone: () => {},
  });
  const arrived: string[] = [];
  server.get('/', async () => {
    arrived.push('handled');
    return {};
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const early = fetch(url);
  await once(server.server, 'request');
  arrived.push('started');
  told.header = 'who and since when';
  startGate.open();
  assert.equal((await early).headers.get(gatewayHeader), told.header);
  assert.deepEqual(arrived, ['started', 'handled']);
  assert.equal((await fetch(url)).headers.get(gatewayHeader), told.header);
});

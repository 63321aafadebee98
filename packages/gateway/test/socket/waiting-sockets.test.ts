/*
 * Sockets that do not say who they are: bounded, and in no one's way.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { createWaitingSockets } from '../../src/socket/waiting-sockets.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { openRunSocket, startRun, TestSocket } from './fixtures.ts';

const path = `/ws/runs/${'0'.repeat(16)}`;

test('the oldest silent one gives way, of the network that has too many, else of all', () => {
  const gone: string[] = [];
  const waiting = createWaitingSockets({ waitingMax: 4, waitingPerAddressMax: 2 });
  const enter = (name: string) => {
    const place = waiting.enter(name.slice(0, 1));
    place.onGiveWay(() => gone.push(name));
    return place;
  };
  const [a1, a2] = [enter('a1'), enter('a2')];
  enter('b1');
  enter('a3');
  assert.deepEqual(gone, ['a1'], 'the oldest of its own network');
  a2.busy(true);
  enter('a4');
  assert.deepEqual(gone, ['a1', 'a3'], 'one whose token is looked up stays');
  enter('c1');
  enter('d1');
  assert.deepEqual(gone, ['a1', 'a3', 'b1'], 'all places are taken: the oldest of all');
  assert.equal(waiting.count, 4);
  a1.leave();
  assert.equal(waiting.count, 4, 'it has left already');
  a2.leave();
  a2.leave();
  assert.equal(waiting.count, 3);
});

test('where all are being looked up, the newcomer is refused', () => {
  const waiting = createWaitingSockets({ waitingMax: 2, waitingPerAddressMax: 1 });
  const first = waiting.enter('a');
  first.busy(true);
  assert.throws(() => waiting.enter('a'), { code: 'rate_limited' });
  waiting.enter('b').busy(true);
  assert.throws(() => waiting.enter('c'), { code: 'unavailable' });
  first.busy(false);
  waiting.enter('c');
  assert.equal(waiting.count, 2);
});

async function openSilent(rig: TestGateway, count: number, options: object = {}) {
  const sockets = Array.from({ length: count }, () => new TestSocket(`${rig.url}${path}`, options));
  await Promise.all(sockets.map((socket) => socket.opened()));
  return sockets;
}

test('silent sockets keep no client out that signs in, and cost signed-in ones no place', async () => {
  const limits = { socketsMax: 3, perAddressMax: 3, waitingMax: 8, waitingPerAddressMax: 4 };
  await using rig = await openTestGateway({ config: { sockets: limits } });
  const runId = await startRun(rig, { command: 'sleep 60' });
  await using lifetime = new AsyncDisposableStack();
  // Many times the places there are, from several addresses; each wave finds those before it still silent.
  for (let wave = 0; wave < 5; wave += 1) {
    for (const localAddress of ['127.0.0.1', '127.0.0.2', '127.0.0.3']) {
      for (const socket of await openSilent(rig, 4, { localAddress })) lifetime.use(socket);
    }
    assert.ok(rig.gateway.sockets.counts().waiting <= limits.waitingMax);
  }
  await using mine = await openRunSocket(rig, runId);
  await using second = await openRunSocket(rig, runId);
  const { run, session, waiting } = rig.gateway.sockets.counts();
  assert.deepEqual([run, session], [2, 0]);
  assert.ok(waiting > 0 && waiting <= limits.waitingMax);
  // More silent ones push out silent ones, and none that has signed in.
  for (const socket of await openSilent(rig, 4)) lifetime.use(socket);
  for (const socket of [mine, second]) {
    socket.send({ type: 'heartbeat' });
    await socket.next('heartbeat_ack');
  }
});

/* A client that says something else than who it is, and does not answer the close that follows. */
async function openStubborn(url: string): Promise<Socket> {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
  const key = `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`;
  const head = [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...upgrade, key, '', ''].join('\r\n');
  socket.write(head);
  // A text frame with "{}", under a mask of zeros.
  socket.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x7b, 0x7d]));
  let heard = Buffer.alloc(0);
  while (!heard.includes('the first message is auth')) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    heard = Buffer.concat([heard, chunk]);
  }
  return socket;
}

test('one that was refused and does not leave gives way too', async () => {
  const limits = { waitingMax: 8, waitingPerAddressMax: 2 };
  await using rig = await openTestGateway({ config: { sockets: limits } });
  const runId = await startRun(rig, { command: 'sleep 60' });
  const stubborn = [await openStubborn(rig.url), await openStubborn(rig.url)];
  assert.equal(rig.gateway.sockets.counts().waiting, 2);
  const cut = once(stubborn[0] ?? assert.fail(), 'close');
  await using _mine = await openRunSocket(rig, runId);
  await cut;
  for (const socket of stubborn) socket.destroy();
});

/*
 * Clients that send too much, too deep, too often, or not at all; ids of every kind; and a gateway that is killed in between.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { rpcLimits } from '@clawdfather/protocol/acp';
import { createHurryingClock, fakeAgentCommand } from '@clawdfather/testkit';
import { threadsFollowedMax } from '../../src/acp/limits.ts';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { openTestGateway, systemDeps } from '../fixtures/open-test-gateway.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { createRpc, type Message, RpcSocket, untilEnded } from './rpc-client.ts';

const request = (id: unknown, method = 'threads.list') => ({ jsonrpc: '2.0', id, method });

test('a message that is too large is refused with its reason, before it is read', async () => {
  await using rig = await openTestGateway();
  const rpc = createRpc(rig.url, rig.owner.token);
  const huge = JSON.stringify({ ...request(1), params: { x: 'x'.repeat(10 * 1024 * 1024) } });
  const { status, body } = await rpc.send(huge);
  assert.equal(status, 413);
  assert.deepEqual([body.error.code, body.error.data.code], [-32_600, 'payload_too_large']);
  await using socket = await RpcSocket.open(rig.url, rig.owner.token);
  socket.send(huge);
  assert.equal((await socket.closed).code, 1009);
  // As large as a request may be, it is taken.
  await using other = await RpcSocket.open(rig.url, rig.owner.token);
  const large = 'x'.repeat(rpcLimits.messageBytesMax - 1024);
  const { result } = await other.call('tasks.get', { turnId: 'x', metadata: large });
  assert.equal(result.status, 'not_found');
});

test('whoever has not signed in with the upgrade sends small messages, and auth first', async () => {
  await using rig = await openTestGateway();
  await using big = new RpcSocket(rig.url);
  big.ws.once('open', () => big.send(`{"type":"auth","x":"${'x'.repeat(100_000)}"}`));
  assert.equal((await big.closed).code, 1009);
  await using eager = new RpcSocket(rig.url);
  eager.ws.once('open', () => eager.send(request(1)));
  assert.equal((await eager.closed).code, 1008);
  await using socket = new RpcSocket(rig.url);
  socket.ws.once('open', () => socket.send({ type: 'auth', token: rig.owner.token }));
  await socket.until(({ method }) => method === 'session.keepalive');
  assert.equal((await socket.call('threads.list')).result.total, 0);
});

test('what is nested too deeply is refused, however it is built', async () => {
  await using rig = await openTestGateway();
  const rpc = createRpc(rig.url, rig.owner.token);
  await using socket = await RpcSocket.open(rig.url, rig.owner.token);
  const deep = (count: number): string => `${'[1,'.repeat(count)}1${']'.repeat(count)}`;
  for (const text of [deep(100_000), '['.repeat(500_000), `{"id":1,"params":${deep(100)}}`]) {
    const { body } = await rpc.send(text);
    assert.equal(body.error.code, -32_600, text.slice(0, 40));
    socket.send(text);
    assert.equal((await socket.until(({ error }) => error !== undefined)).error.code, -32_600);
  }
  // Brackets in texts nest nothing.
  const { result } = await rpc.call('tasks.get', { turnId: `"\\"${'['.repeat(150)}` });
  assert.equal(result.status, 'not_found');
});

test('a batch is answered call by call, in order, and has a bound', async () => {
  await using rig = await openTestGateway();
  const rpc = createRpc(rig.url, rig.owner.token);
  const calls = [
    request('a'),
    { jsonrpc: '2.0', method: 'threads.list' },
    7,
    request('a', 'no.such.method'),
    request(2, 'acp.capabilities'),
  ];
  const { status, body } = await rpc.send(calls);
  assert.equal(status, 200);
  assert.deepEqual(
    body.map(({ id, error }: Message) => [id, error?.code]),
    [
      ['a', undefined],
      [null, -32_600],
      ['a', -32_601],
      [2, undefined],
    ],
  );
  await using socket = await RpcSocket.open(rig.url, rig.owner.token);
  socket.send(calls);
  const over = await socket.until((message) => Array.isArray(message));
  assert.deepEqual(
    over.map(({ id }: Message) => id),
    ['a', null, 'a', 2],
  );
  const many = Array.from({ length: rpcLimits.batchMax + 1 }, (_one, index) => request(index));
  for (const batch of [many, []]) {
    const refused = (await rpc.send(batch)).body;
    assert.deepEqual([refused.id, refused.error.code], [null, -32_600]);
  }
  assert.equal((await rpc.send(many.slice(1))).body.length, rpcLimits.batchMax);
  assert.equal((await rpc.send([{ jsonrpc: '2.0', method: 'threads.list' }])).status, 204);
  const streamed = await rpc.send(calls, { accept: 'text/event-stream' });
  assert.equal(streamed.body.error.code, -32_600);
});

test('an id comes back exactly as it was sent; what cannot be one is refused', async () => {
  await using rig = await openTestGateway();
  const rpc = createRpc(rig.url, rig.owner.token);
  const exact = ['', 'x', '1', '\u0000ü\u2028', null, 0, -1, 1.5, 2 ** 53 - 1, -0.25, 1e-7];
  for (const id of exact) {
    const { body } = await rpc.send(request(id));
    assert.deepEqual([body.id, body.error], [id, undefined]);
  }
  for (const id of [true, false, [], {}, [1], 2 ** 53, 1e300, 'x'.repeat(1_000)]) {
    const { body } = await rpc.send(request(id));
    assert.deepEqual([body.id, body.error.code], [null, -32_600]);
  }
  const { status, body } = await rpc.send({ jsonrpc: '2.0', method: 'no.such.method' });
  assert.deepEqual([status, body], [204, undefined]);
});

test('two calls under way with one id are two answers', async () => {
  await using rig = await openTestGateway();
  await using socket = await RpcSocket.open(rig.url, rig.owner.token);
  socket.send(request(7));
  socket.send(request(7, 'acp.capabilities'));
  const first = await socket.until(({ id }) => id === 7);
  const second = await socket.until(({ id }) => id === 7);
  assert.equal(first.result.total, 0);
  assert.ok(second.result.methods);
});

test('a socket hears every 20 s that it is alive, and one that is silent is cut off', async () => {
  const clock = createHurryingClock();
  await using rig = await openTestGateway({ deps: { ...systemDeps(), clock } });
  await using socket = await RpcSocket.open(rig.url, rig.owner.token);
  // It is signed in, for which it has five seconds.
  clock.hurry(50);
  for (let times = 0; times < 3; times += 1) {
    const { params } = await socket.until(({ method }) => method === 'session.keepalive');
    assert.equal(params.gateway.generation, 1);
  }
  // Half open: nothing comes back any more, not even answers to pings.
  socket.ws.pause();
  clock.hurry(200);
  const counted = (): number => rig.gateway.sockets.counts().acp;
  assert.equal(counted(), 1);
  while (counted() > 0) await clock.sleep(5_000);
});

test('threads beyond what a socket follows are let go, and the client is told where it was', async () => {
  const echo = { name: 'echo', command: fakeAgentCommand() };
  await using rig = await openTestGateway({ config: { agents: { named: [echo], activeMax: 1 } } });
  await using socket = await RpcSocket.open(rig.url, rig.owner.token);
  // It runs for as long as nobody answers, so the others wait, and are cancelled there.
  const first = (await socket.call('session.start', { taskPrompt: 'ask: x' })).result;
  for (let count = 0; count < threadsFollowedMax; count += 1) {
    const { result } = await socket.call('session.start', { taskPrompt: 'waits' });
    await socket.call('tasks.cancel', { turnId: result.turnId });
    await socket.until(
      ({ params }) => params?.turnId === result.turnId && params.event === 'cancelled',
    );
  }
  const { params } = await socket.until(({ method }) => method === 'session.unfollowed');
  assert.equal(params.threadId, first.threadId);
  // It may ask for it again, and goes on where it was.
  const { result } = await socket.call('tasks.get', {
    turnId: first.turnId,
    lastSeq: params.lastSeq,
  });
  assert.equal(result.status, 'running');
  await socket.call('session.cancel', { threadId: first.threadId });
  const end = await socket.until(
    (message) => message.params?.turnId === first.turnId && message.params.result !== null,
  );
  assert.equal(end.params.event, 'cancelled');
});

test('a start whose answer was lost with a killed gateway is sent again, and is one turn', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-rpc-'));
  const asked = { taskPrompt: 'ask: once', agent: 'echo', idempotencyKey: 'lost' };
  try {
    let known: string | undefined;
    for (let kills = 0; kills < 3; kills += 1) {
      await using gateway = await startGatewayProcess(directory);
      // Whether it was taken in is not known: the gateway is gone before it answers, or after.
      const answer = createRpc(gateway.url, gateway.token).call('session.start', asked);
      if (kills === 1) known = (await answer).result.turnId;
      else answer.catch(() => {});
      await gateway.end('SIGKILL');
    }
    await using last = await startGatewayProcess(directory);
    const rpc = createRpc(last.url, last.token);
    const again = await rpc.call('session.start', asked);
    assert.equal(again.gateway.generation, 4);
    const { threadId, turnId } = again.result;
    assert.equal(turnId, known);
    assert.equal((await rpc.result('threads.list')).total, 1);
    assert.equal((await rpc.result('tasks.list', { threadId })).items.length, 1);
    await rpc.result('session.cancel', { threadId, turnId });
    assert.equal((await untilEnded(rpc, { turnId })).status, 'cancelled');
    await rpc.result('session.close', { threadId });
    await last.end('SIGTERM');
    await endEveryRun(join(directory, 'state'));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

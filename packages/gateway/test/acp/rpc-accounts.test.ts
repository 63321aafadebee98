/*
 * Two accounts on one gateway, strictly apart, over every method of JSON-RPC, by HTTP and by a socket.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rpcMethods } from '@clawdfather/protocol/acp';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { asAccount, makeThings } from '../matrix/make-things.ts';
import { createRpc, isEnd, type Message, RpcSocket } from './rpc-client.ts';
import { everyRpcRow, madeOf, rpcRows } from './rpc-rows.ts';

/* As good as any other that nobody has. */
const missing = madeOf('0123456789abcdef');

/* Without what differs between any two answers. */
function said({ result, error }: Message): object {
  if (error === undefined) return { result };
  const { traceId: _trace, ...data } = error.data;
  return { error: { ...error, data } };
}

test('every method has a row, and every row a method', () => {
  assert.deepEqual(Object.keys(rpcRows).toSorted(), Object.keys(rpcMethods).toSorted());
});

test('what one account has is missing for the other, word for word', async () => {
  await using rig = await openTestGateway();
  const made = await makeThings(rig);
  const http = createRpc(rig.url, rig.other.token);
  await using socket = await RpcSocket.open(rig.url, rig.other.token);
  for (const [method, { kind, params }] of everyRpcRow) {
    if (kind !== 'names') continue;
    for (const rpc of [http, socket]) {
      const foreign = said(await rpc.call(method, params?.(made)));
      const nothing = said(await rpc.call(method, params?.(missing)));
      assert.deepEqual(foreign, nothing, method);
      const text = JSON.stringify(foreign);
      assert.match(text, /ACP_SESSION_NOT_FOUND|PERMISSION_REQUEST_NOT_FOUND/, method);
      for (const id of Object.values(made)) assert.ok(!text.includes(id), `${method}: ${text}`);
    }
  }
});

test('lists show nothing of the other account', async () => {
  await using rig = await openTestGateway();
  const made = await makeThings(rig);
  for (const [method, { kind }] of everyRpcRow) {
    if (kind !== 'lists') continue;
    const mine = JSON.stringify(await createRpc(rig.url, rig.owner.token).result(method));
    const theirs = JSON.stringify(await createRpc(rig.url, rig.other.token).result(method));
    const ids = Object.values(made);
    assert.ok(!ids.some((id) => theirs.includes(id)), `${method}: ${theirs}`);
    assert.ok(
      ids.some((id) => mine.includes(id)),
      `${method} shows its owner nothing`,
    );
  }
});

/* What moves with the clock. */
const moving = ['poll', 'elapsedMs', 'oldestWaitMs'];

test('nothing that the other account did has changed anything', async () => {
  await using rig = await openTestGateway();
  const made = await makeThings(rig);
  const mine = createRpc(rig.url, rig.owner.token);
  const { threadId } = made;
  const looks = [
    ['threads.get', { threadId }],
    ['threads.list', {}],
    ['tasks.list', {}],
    ['tasks.get', { turnId: made.queuedTurnId }],
    ['tasks.queue', {}],
    ['permissions.list', {}],
  ] as const;
  const lookAtAll = async (): Promise<Message> => {
    const seen: [string, Message][] = [];
    for (const [method, params] of looks) seen.push([method, await mine.result(method, params)]);
    const still = (key: string, value: unknown) => (moving.includes(key) ? undefined : value);
    return JSON.parse(JSON.stringify(seen), still);
  };
  const before = await lookAtAll();
  const theirs = createRpc(rig.url, rig.other.token);
  for (const [method, { params }] of everyRpcRow) await theirs.call(method, params?.(made));
  assert.deepEqual(await lookAtAll(), before);
  const { thread } = await mine.result('threads.get', { threadId });
  assert.deepEqual([thread.lifecycleStatus, thread.pendingTurnId], ['running', made.turnId]);
});

test('places in the queue are one’s own, and of others only how many there are', async () => {
  await using rig = await openTestGateway();
  const made = await makeThings(rig);
  const [mine, theirs] = [createRpc(rig.url, rig.owner.token), createRpc(rig.url, rig.other.token)];
  const turnsOf = ({ positions }: Message): string[] =>
    positions.map(({ turnId }: Message) => turnId);
  for (const params of [{}, { lane: 'echo' }, { lane: 'account' }, { lane: 'gateway' }]) {
    const shown = JSON.stringify(params);
    assert.deepEqual(turnsOf(await mine.result('tasks.queue', params)), [made.queuedTurnId], shown);
    const other = await theirs.result('tasks.queue', params);
    assert.deepEqual(turnsOf(other), [], shown);
    for (const id of Object.values(made)) assert.ok(!JSON.stringify(other).includes(id), shown);
  }
  const { lanes } = await theirs.result('tasks.queue', { lane: 'gateway' });
  assert.deepEqual([lanes[0].active, lanes[0].queued], [1, 1]);
});

test('the same key of two accounts is two threads', async () => {
  await using rig = await openTestGateway();
  const mine = createRpc(rig.url, rig.owner.token);
  const asked = { threadId: 'the same key', taskPrompt: 'mine', agent: 'echo' };
  await mine.result('session.start', asked);
  const theirs = createRpc(rig.url, rig.other.token);
  const result = await theirs.result('tasks.get', { threadId: 'the same key' });
  assert.equal(result.status, 'not_found');
});

test('without a token every method is refused in the same words, with the status of the API', async () => {
  await using rig = await openTestGateway();
  const nobody = createRpc(rig.url);
  for (const [method, { params }] of everyRpcRow) {
    const request = { jsonrpc: '2.0', id: 1, method, params: params?.(missing) };
    const { status, body } = await nobody.send(request);
    assert.equal(status, 401);
    assert.deepEqual([body.error.code, body.error.data.code], [-32_001, 'unauthorized']);
    assert.ok(body.gateway.generation > 0);
  }
  const origin = { origin: 'https://evil.example' };
  const { status, body } = await createRpc(rig.url, rig.owner.token).send({}, origin);
  assert.equal(status, 403);
  assert.deepEqual([body.error.code, body.error.data.code], [-32_003, 'origin_refused']);
  await using socket = new RpcSocket(rig.url, { headers: { authorization: 'Bearer clf_nobody' } });
  assert.equal((await socket.closed).code, 4001);
  assert.equal(socket.messages[0]?.error.code, -32_001);
});

test('a token without the scope is refused, whatever it asks', async () => {
  await using rig = await openTestGateway();
  const made = await makeThings(rig);
  const asOwner = asAccount(rig.url, rig.owner.token);
  const reader = await asOwner('tokens.create', { body: { label: 'reads', scopes: ['read'] } });
  const rpc = createRpc(rig.url, reader.token);
  for (const [method, { params }] of everyRpcRow) {
    const { error } = await rpc.call(method, params?.(made));
    if (rpcMethods[method].access === 'read') assert.equal(error, undefined, method);
    else assert.deepEqual([error?.code, error?.data.code], [-32_001, 'forbidden'], method);
  }
});

test('a token does not answer what its own prompt led to, and answers what others did', async () => {
  await using rig = await openTestGateway();
  const asOwner = asAccount(rig.url, rig.owner.token);
  const scopes = ['read', 'run', 'approve'];
  const mine = await asOwner('tokens.create', { body: { label: 'asks', scopes } });
  const other = await asOwner('tokens.create', { body: { label: 'answers', scopes } });
  await using asking = await RpcSocket.open(rig.url, mine.token);
  const { result } = await asking.call('session.start', { taskPrompt: 'ask: it', agent: 'echo' });
  const { params } = await asking.until((message) => message.params?.type === 'approval');
  const answer = { requestId: params.payload.ask, decision: 'cancel' };
  const { error } = await asking.call('permissions.respond', answer);
  assert.deepEqual([error.code, error.data.code], [-32_001, 'forbidden']);
  const answered = await createRpc(rig.url, other.token).result('permissions.respond', answer);
  assert.equal(answered.state, 'answered');
  const end = await asking.until(isEnd);
  assert.equal(end.params.turnId, result.turnId);
});

test('a revoked token loses its socket and its stream within a second', async () => {
  await using rig = await openTestGateway();
  const asOwner = asAccount(rig.url, rig.owner.token);
  const body = { label: 'leaves', scopes: ['read', 'run'] };
  const { token, id } = await asOwner('tokens.create', { body });
  await using socket = await RpcSocket.open(rig.url, token);
  const asked = { taskPrompt: 'ask: for ever', agent: 'echo' };
  await using stream = await createRpc(rig.url, token).stream('session.start', asked);
  await stream.next();
  await asOwner('tokens.revoke', { params: { id } });
  assert.equal((await socket.closed).code, 4001);
  const messages = await stream.all();
  assert.equal(messages.at(-1)?.result, undefined);
});

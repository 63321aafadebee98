/*
 * A key that comes with something else than before is refused on every wire: what would be lost otherwise is what a person said.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRpc } from '../acp/rpc-client.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { createTalk, isEndOf } from './talk.ts';

test('a message id with another message is refused, and the first one stays as it was', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  const say = (body: object) => me.post(`threads/${talk.id()}/turns`, body);
  const said = { text: 'build it', client_message_id: 'm1' };
  const turn = (await say(said)).body['turn'].id;
  const others = [
    { ...said, text: 'delete it' },
    { ...said, load_class: 'short_task' },
    { ...said, priority: 3 },
    { ...said, expected_artifact_dirs: ['out'] },
    { ...said, not_before: '2030-01-01T00:00:00.000Z' },
  ];
  for (const other of others) {
    const { status, body } = await say(other);
    assert.deepEqual([status, body['error'].code], [409, 'key_reused'], JSON.stringify(other));
    assert.equal(body['error'].detail.turnId, turn);
  }
  await talk.until(isEndOf(turn));
  assert.equal((await say({ ...said, text: 'too late' })).status, 409, 'also when it has ended');
  const blocks = [{ text: 'build it', type: 'text' }];
  const inOtherWords = { blocks, client_message_id: 'm1', load_class: 'long_task', priority: 0 };
  assert.equal((await say(inOtherWords)).body['turn'].id, turn, 'the same message all the same');
  assert.equal((await me.get(`threads/${talk.id()}`)).body['turns'].length, 1);
});

test('a message cannot have an id in which the gateway speaks to threads itself', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  const rpc = createRpc(rig.url, rig.owner.token);
  for (const id of ['wake:a-turn', 'agent:a-run']) {
    const said = { text: 'first', client_message_id: id };
    assert.equal((await me.post(`threads/${talk.id()}/turns`, said)).status, 400, id);
    const params = { threadId: talk.id(), taskPrompt: 'first', idempotencyKey: id };
    const { error } = await rpc.call('session.message', params);
    assert.equal(error.code, -32_602, id);
  }
  assert.deepEqual((await me.get(`threads/${talk.id()}`)).body['turns'], []);
});

test('at the same moment, too, one of two messages with the same id is refused', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  const answers = await Promise.all(
    ['one', 'other', 'one', 'other'].map((text) =>
      me.post(`threads/${talk.id()}/turns`, { text, client_message_id: 'm1' }),
    ),
  );
  const refused = answers.filter(({ status }) => status === 409);
  assert.equal(refused.length, 2);
  assert.equal((await me.get(`threads/${talk.id()}`)).body['turns'].length, 1);
});

test('what was edited while it waited is still the message that was sent', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  await talk.say('ask: wait for me');
  await talk.until(({ type }) => type === 'approval');
  const said = { text: 'first thought', client_message_id: 'm1' };
  const say = (body: object) => me.post(`threads/${talk.id()}/turns`, body);
  const turn = (await say(said)).body['turn'].id;
  const edited = { text: 'second thought', load_class: 'short_task' };
  assert.equal((await createAsk(rig)('PATCH', `turns/${turn}`, { body: edited })).status, 200);
  assert.equal((await say(said)).body['turn'].id, turn);
  const asEdited = await say({ ...edited, client_message_id: 'm1' });
  assert.equal(asEdited.body['error'].code, 'key_reused');
});

test('a key of a new thread with another host, agent or directory is refused', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const headers = { 'idempotency-key': 'k1' };
  const begin = (body: object) => ask('POST', 'threads', { body, headers });
  const first = await begin({ agent: 'echo', directory: '/' });
  assert.equal(first.status, 201);
  const id = first.body.thread.id;
  assert.equal((await begin({ agent: 'echo', directory: '/' })).body.thread.id, id);
  assert.equal((await begin({ directory: '/', title: 'a title' })).body.thread.id, id);
  assert.equal((await begin({ agent: 'echo' })).body.thread.id, id, 'the usual is not compared');
  const reused = await begin({ agent: 'echo', directory: '/tmp' });
  assert.deepEqual([reused.status, reused.body.error.code], [409, 'key_reused']);
});

test('over JSON-RPC the same is said in its own way', async () => {
  await using rig = await openTestGateway();
  const rpc = createRpc(rig.url, rig.owner.token);
  const asked = { taskPrompt: 'build it', agent: 'echo', idempotencyKey: 'k1' };
  const { turnId } = await rpc.result('session.start', asked);
  const again = await rpc.result('session.start', { ...asked, lastSeq: 1 });
  assert.equal(again.turnId, turnId);
  const other = await rpc.call('session.start', { ...asked, taskPrompt: 'delete it' });
  assert.deepEqual([other.error.code, other.error.data.code], [-32_002, 'key_reused']);
  const elsewhere = await rpc.call('session.start', { ...asked, workingDirectory: '/' });
  assert.equal(elsewhere.error.data.code, 'key_reused');
});

/*
 * A model and a mode that come with a message over JSON-RPC: chosen for its thread, by the rules that the API has.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { createRpc, type Rpc, untilEnded } from './rpc-client.ts';

const agent = 'echo';
/* The echoing agent says what it was prompted with. */
const taskPrompt = 'say choices';

async function saidTo(rpc: Rpc, method: string, params: object): Promise<string> {
  const { turnId } = await rpc.result(method, { taskPrompt, ...params });
  const { status, result } = await untilEnded(rpc, { turnId });
  assert.equal(status, 'completed');
  return result.output;
}

test('a start chooses a model and a mode, and a message another one', async () => {
  await using rig = await openTestGateway();
  const rpc = createRpc(rig.url, rig.owner.token);
  const threadId = 'my own';
  const start = { threadId, agent, model: 'large', mode: 'code' };
  assert.equal(await saidTo(rpc, 'session.start', start), 'code large');
  assert.equal(await saidTo(rpc, 'session.message', { threadId }), 'code large');
  const small = { threadId, model: 'small', idempotencyKey: 'k' };
  assert.equal(await saidTo(rpc, 'session.message', small), 'code small');
  // In a thread that is there, as in one that is new; nothing leaves it as it is.
  const again = { threadId, agent, mode: 'ask', model: '' };
  assert.equal(await saidTo(rpc, 'session.start', again), 'ask small');
  await saidTo(rpc, 'session.message', { threadId, model: 'large' });
  // Sent again, it is what it was, and undoes nothing.
  await rpc.result('session.message', { taskPrompt, ...small });
  assert.equal(await saidTo(rpc, 'session.message', { threadId, mode: null }), 'ask large');
});

test('what the agent does not offer loses no prompt', async () => {
  await using rig = await openTestGateway();
  const rpc = createRpc(rig.url, rig.owner.token);
  assert.equal(await saidTo(rpc, 'session.start', { agent, model: 'another' }), 'ask small');
  const { error } = await rpc.call('session.start', { agent, taskPrompt, model: 7 });
  assert.equal(error.code, -32_602);
});

test('a token chooses a model, and is told that a mode is a person’s', async () => {
  await using rig = await openTestGateway();
  const person = callerOf(rig.url, rig.owner.token);
  const scopes = ['read', 'run', 'approve'];
  const { token } = (await person.post('auth/tokens', { label: 'program', scopes })).body;
  const rpc = createRpc(rig.url, token);
  const refused = await rpc.call('session.start', { agent, taskPrompt, mode: 'code' });
  assert.deepEqual([refused.error.code, refused.error.data.code], [-32_001, 'forbidden']);
  assert.equal((await rpc.result('threads.list')).total, 0, 'nothing was begun');
  const threadId = 'of a program';
  const start = { threadId, agent, model: 'large' };
  assert.equal(await saidTo(rpc, 'session.start', start), 'ask large');
  const { error } = await rpc.call('session.message', { threadId, taskPrompt, mode: 'code' });
  assert.equal(error.data.code, 'forbidden');
  // What an older client calls a mode is something else.
  const older = { openclawSessionKey: threadId, mode: 'gateway', model: 'small' };
  assert.equal(await saidTo(rpc, 'session.message', older), 'ask small');
});

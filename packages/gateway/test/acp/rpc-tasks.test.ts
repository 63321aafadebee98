/*
 * `tasks.list` and `tasks.get` over more than one thread: what is listed and in which order, and a turn by the run of its agent.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgentCommand } from '@clawdfather/testkit';
import { rpcMethods } from '@clawdfather/protocol/acp';
import { createSupervisor, type RunId } from '@clawdfather/supervisor';
import { createTalk } from '../agents/talk.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway, sharedWith } from '../fixtures/open-test-gateway.ts';
import { createRpc, type Message, RpcSocket, untilEnded } from './rpc-client.ts';

test('tasks of two threads come newest first, with those that wait behind one that runs', async () => {
  const echo = { name: 'echo', command: fakeAgentCommand() };
  const queue = { agent: { activeMax: 2 } };
  await using rig = await openTestGateway({ config: { agents: { named: [echo], queue } } });
  const rpc = createRpc(rig.url, rig.owner.token);
  await using socket = await RpcSocket.open(rig.url, rig.owner.token);
  const ids = async (params: object, from = rpc): Promise<string[]> => {
    const result = await from.result('tasks.list', params);
    rpcMethods['tasks.list'].result.parse(result);
    return result.items.map(({ turnId }: Message) => turnId);
  };
  const say = async (threadId: string, taskPrompt: string): Promise<string> =>
    (await rpc.result('session.start', { threadId, taskPrompt, agent: 'echo' })).turnId;
  // In turns, so that neither the order of the threads nor that within each is the answer.
  const [a1, b1] = [await say('a', 'one'), await say('b', 'two')];
  await untilEnded(rpc, { turnId: a1 });
  await untilEnded(rpc, { turnId: b1 });
  const a2 = (await socket.call('session.start', { threadId: 'a', taskPrompt: 'ask: x' })).result
    .turnId;
  await socket.until(({ params }) => params?.type === 'approval' && params.turnId === a2);
  const b2 = await say('b', 'crash');
  assert.equal((await untilEnded(rpc, { turnId: b2 })).status, 'interrupted');
  const a3 = await say('a', 'waits for the one before');
  const b3 = await say('b', 'three');
  await untilEnded(rpc, { turnId: b3 });
  const a4 = await say('a', 'waits, too');
  const all = [a4, b3, a3, b2, a2, b1, a1];
  assert.deepEqual(await ids({}), all);
  assert.deepEqual(await ids({ limit: 4 }), all.slice(0, 4));
  assert.deepEqual(await ids({ threadId: 'a' }), [a4, a3, a2, a1]);
  assert.deepEqual(await ids({ status: 'queued' }), [a4, a3]);
  assert.deepEqual(await ids({ status: 'running' }), [a2]);
  assert.deepEqual(await ids({ status: 'completed', limit: 2 }), [b3, b1]);
  assert.deepEqual(await ids({ code: 'success' }), [b3, b1, a1]);
  assert.deepEqual(await ids({ status: 'interrupted' }), [b2]);
  assert.deepEqual(await ids({ status: 'failed' }), []);
  // An older client is told `failed` of it, and finds it by that.
  assert.deepEqual(await ids({ status: 'failed', routing: {} }), [b2]);
  assert.deepEqual(await ids({ status: 'interrupted', routing: {} }), []);
  assert.deepEqual(await ids({ code: 'OPENCLAW_GATEWAY_BUSY' }), []);
  assert.deepEqual(await ids({}, createRpc(rig.url, rig.other.token)), []);
  // Put away with its thread, and there for who names it.
  await rpc.result('threads.archive', { threadId: 'b' });
  assert.deepEqual(await ids({}), [a4, a3, a2, a1]);
  assert.deepEqual(await ids({ threadId: 'b' }), [b3, b2, b1]);
});

test('a turn is found by its run, also when the run is gone, and at another gateway', async () => {
  await using rig = await openTestGateway();
  const rpc = createRpc(rig.url, rig.owner.token);
  const { threadId, turnId } = await rpc.result('session.start', {
    taskPrompt: 'hello',
    agent: 'echo',
  });
  const { runId } = await untilEnded(rpc, { turnId });
  const found = async (from = rpc): Promise<unknown> =>
    (await from.result('tasks.get', { runId })).turnId;
  assert.equal(await found(), turnId);
  const other = await rpc.result('session.start', { taskPrompt: 'hello', agent: 'echo' });
  assert.equal((await rpc.result('tasks.get', { runId, threadId })).turnId, turnId);
  assert.equal((await rpc.result('tasks.get', { runId, threadId: other.threadId })).ok, false);
  await untilEnded(rpc, { turnId: other.turnId });
  await using there = await openTestGateway({ config: sharedWith(rig) });
  assert.equal(await found(createRpc(there.url, rig.owner.token)), turnId);
  const talk = createTalk(() => callerOf(rig.url, rig.owner.token));
  talk.takeUp(threadId);
  await rpc.result('session.close', { threadId });
  await talk.until(({ payload }) => payload['event'] === 'agent-ended');
  await removeRun(rig.config.stateDir, runId);
  assert.equal(await found(), turnId);
  const stranger = createRpc(rig.url, rig.other.token);
  assert.equal((await stranger.result('tasks.get', { runId })).ok, false);
});

/* As `clf rm` and the clean-up do it, when its agent has ended. */
async function removeRun(stateDir: string, runId: RunId): Promise<void> {
  const supervisor = await createSupervisor({ stateDir, launcher: 'direct', adoption: 'record' });
  try {
    await supervisor.remove(runId);
    await supervisor.gc({ policy: { ageMs: 0, runsMax: 0, bytesMax: 0 } });
    assert.equal(supervisor.get(runId), undefined);
  } finally {
    await supervisor.close();
  }
}

/*
 * A gateway that is busy, as a client of JSON-RPC is told: a queue that is full refuses, and a turn that waits for too long fails, both with
 * one code and the reason that tells them apart.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgentCommand } from '@clawdfather/testkit';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { createRpc, isEnd, RpcSocket, untilEnded } from './rpc-client.ts';

const echo = { name: 'echo', command: fakeAgentCommand() };

function openBusy(agent: object) {
  return openTestGateway({
    config: { agents: { named: [echo], queue: { agent: { activeMax: 1, ...agent } } } },
  });
}

/* It runs for as long as nobody answers what its agent asks. */
async function occupy(socket: RpcSocket): Promise<string> {
  const { result } = await socket.call('session.start', { taskPrompt: 'ask: x' });
  await socket.until(({ params }) => params?.type === 'approval');
  return result.turnId;
}

test('a full queue refuses with OPENCLAW_GATEWAY_BUSY and queue_full, and takes the same message later', async () => {
  await using rig = await openBusy({ waitingMax: 1 });
  const rpc = createRpc(rig.url, rig.owner.token);
  await using socket = await RpcSocket.open(rig.url, rig.owner.token);
  const running = await occupy(socket);
  const waiting = await rpc.result('session.start', { taskPrompt: 'waits' });
  const asked = { taskPrompt: 'one too many', idempotencyKey: 'once' };
  for (const wire of [rpc, socket]) {
    const { error } = await wire.call('session.start', asked);
    assert.equal(error.code, -32_002);
    const { code, reason, lane, count, max } = error.data;
    assert.deepEqual([code, reason], ['OPENCLAW_GATEWAY_BUSY', 'queue_full']);
    assert.deepEqual([lane, count, max], ['agent', 1, 1]);
  }
  const inThread = { threadId: waiting.threadId, taskPrompt: 'one too many' };
  const { error } = await rpc.call('session.message', inThread);
  assert.deepEqual([error.data.code, error.data.reason], ['OPENCLAW_GATEWAY_BUSY', 'queue_full']);
  // The same refusal on the other wire has the same words.
  const me = callerOf(rig.url, rig.owner.token);
  const refused = await me.post(`threads/${waiting.threadId}/turns`, { text: 'one too many' });
  const { detail } = refused.body['error'];
  assert.deepEqual([detail.turn_code, detail.reason], ['OPENCLAW_GATEWAY_BUSY', 'queue_full']);
  await rpc.result('tasks.cancel', { turnId: running });
  await untilEnded(rpc, { turnId: waiting.turnId });
  const taken = await rpc.result('session.start', asked);
  assert.equal((await untilEnded(rpc, { turnId: taken.turnId })).status, 'completed');
});

test('a turn that waits for too long fails with OPENCLAW_GATEWAY_BUSY and queue_timeout', async () => {
  await using rig = await openBusy({ waitMsMax: 300 });
  const rpc = createRpc(rig.url, rig.owner.token);
  await using socket = await RpcSocket.open(rig.url, rig.owner.token);
  await occupy(socket);
  const { result: handle } = await socket.call('session.start', { taskPrompt: 'waits in vain' });
  const { params: update } = await socket.until(
    (message) => isEnd(message) && message.params.turnId === handle.turnId,
  );
  const { turnId } = handle;
  const ended = await rpc.result('tasks.get', { turnId });
  for (const { code, reason, status } of [update.result, ended.result]) {
    assert.deepEqual([code, reason, status], ['OPENCLAW_GATEWAY_BUSY', 'queue_timeout', 'failed']);
  }
  const found = await rpc.result('tasks.list', { code: 'OPENCLAW_GATEWAY_BUSY' });
  assert.deepEqual(
    found.items.map((task: { turnId: string }) => task.turnId),
    [turnId],
  );
});

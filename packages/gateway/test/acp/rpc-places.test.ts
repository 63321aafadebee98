/*
 * Where a turn stands and why it waits: an update says what `tasks.get` says at the same moment, on a stream and on a socket.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgentCommand } from '@clawdfather/testkit';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { createRpc, type Message, type Rpc, RpcSocket, untilEnded } from './rpc-client.ts';

function openFull() {
  const echo = { name: 'echo', command: fakeAgentCommand() };
  const queue = { agent: { activeMax: 1 } };
  return openTestGateway({ config: { agents: { named: [echo], queue } } });
}

/* It runs for as long as nobody answers what its agent asks. */
async function occupy(socket: RpcSocket): Promise<Message> {
  const { result } = await socket.call('session.start', { taskPrompt: 'ask: x' });
  await socket.until(({ params }) => params?.type === 'approval');
  return result;
}

function isQueued({ params }: Message): boolean {
  return params?.event === 'queued';
}

async function firstInStream(rpc: Rpc, method: string, said: object): Promise<Message> {
  await using stream = await rpc.stream(method, said);
  return (await stream.next()).params;
}

async function firstOnSocket(socket: RpcSocket, method: string, said: object): Promise<Message> {
  const { turnId } = (await socket.call(method, said)).result;
  return (await socket.until(({ params }) => params?.turnId === turnId)).params;
}

test('behind a full lane, and behind its own thread, updates and tasks.get agree', async () => {
  await using rig = await openFull();
  const rpc = createRpc(rig.url, rig.owner.token);
  await using socket = await RpcSocket.open(rig.url, rig.owner.token);
  const running = await occupy(socket);
  const asked = [
    ['session.start', { taskPrompt: 'the first of its thread' }, 'agent-lane-full'],
    [
      'session.message',
      { threadId: running.threadId, taskPrompt: 'while its thread runs' },
      'thread-busy',
    ],
  ] as const;
  const places: Message[] = [];
  for (const [method, params, reason] of asked) {
    for (const wire of ['stream', 'socket'] as const) {
      const said = { ...params, idempotencyKey: `${method} by ${wire}` };
      const update =
        wire === 'stream'
          ? await firstInStream(rpc, method, said)
          : await firstOnSocket(socket, method, said);
      assert.ok(isQueued({ params: update }), JSON.stringify(update));
      const task = await rpc.result('tasks.get', { turnId: update.turnId });
      assert.deepEqual(update.queue, task.queue, `${method} by ${wire}`);
      assert.equal(update.queue.reason, reason);
      places.push(update.queue.position);
    }
  }
  assert.deepEqual(places, [1, 2, 3, 4]);
});

test('a turn that has begun since is told without a place when its updates are read again', async () => {
  await using rig = await openFull();
  const rpc = createRpc(rig.url, rig.owner.token);
  await using socket = await RpcSocket.open(rig.url, rig.owner.token);
  const running = await occupy(socket);
  const waiting = await rpc.result('session.start', { taskPrompt: 'waits' });
  assert.equal(waiting.queue.reason, 'agent-lane-full');
  await rpc.result('tasks.cancel', { turnId: running.turnId });
  await untilEnded(rpc, { turnId: waiting.turnId });
  await using stream = await rpc.stream('tasks.get', { turnId: waiting.turnId, lastSeq: 0 });
  const updates = (await stream.all()).filter(({ params }) => params !== undefined);
  assert.ok(updates.some(isQueued));
  for (const { params } of updates) assert.equal(params.queue, null, JSON.stringify(params));
});

/*
 * The methods of JSON-RPC, each against a real gateway with an agent that echoes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgentCommand } from '@clawdfather/testkit';
import { rpcAnswerSchema, rpcMethods, updateSchema } from '@clawdfather/protocol/acp';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { createRpc, isEnd, type Message, RpcSocket, untilEnded } from './rpc-client.ts';

test('a start makes a thread, says something in it, and answers with the running handle', async () => {
  await using rig = await openTestGateway();
  const rpc = createRpc(rig.url, rig.owner.token);
  const answer = await rpc.call('session.start', { taskPrompt: 'hello there', agent: 'echo' });
  rpcAnswerSchema.parse(answer);
  assert.deepEqual(Object.keys(answer.gateway), ['instanceId', 'generation']);
  const handle = rpcMethods['session.start'].result.parse(answer.result);
  assert.equal(handle.loadClass, 'long_task');
  assert.ok(['queued', 'running'].includes(handle.status), handle.status);
  const { threadId, turnId } = handle;
  const ended = await untilEnded(rpc, { turnId });
  rpcMethods['tasks.get'].result.parse(ended);
  assert.equal(ended.status, 'completed');
  assert.deepEqual(ended.result, {
    output: 'hello there',
    code: 'success',
    error: null,
    reason: null,
    status: 'completed',
  });
  assert.equal(ended.poll, null);
  const next = await rpc.result('session.message', { threadId, taskPrompt: 'and again' });
  assert.equal(next.threadId, threadId);
  await untilEnded(rpc, { threadId });
  const { thread, tasks } = await rpc.result('threads.get', { threadId });
  assert.equal(thread.lifecycleStatus, 'ready');
  assert.equal(thread.lastTurnId, next.turnId);
  assert.equal(thread.pendingTurnId, null);
  assert.deepEqual(
    tasks.map(({ status }: Message) => status),
    ['completed', 'completed'],
  );
  const bySession = await rpc.result('tasks.get', { sessionId: thread.sessionId });
  assert.equal(bySession.turnId, next.turnId);
  const byRun = await rpc.result('tasks.get', { runId: ended.runId });
  assert.equal(byRun.turnId, next.turnId);
  const listed = await rpc.result('tasks.list', { status: 'completed' });
  assert.deepEqual(
    listed.items.map((task: Message) => task.turnId),
    [next.turnId, turnId],
  );
  const { items } = await rpc.result('threads.list');
  assert.deepEqual(
    items.map((one: Message) => one.threadId),
    [threadId],
  );
  assert.equal(
    (await rpc.result('threads.archive', { threadId })).thread.lifecycleStatus,
    'archived',
  );
  const { error } = await rpc.call('session.message', { threadId, taskPrompt: 'too late' });
  assert.equal(error.code, -32_002);
  assert.equal(error.data.code, 'thread_archived');
});

test('a stream has every update of its turn, with the numbers of the thread, and then the result', async () => {
  await using rig = await openTestGateway();
  const rpc = createRpc(rig.url, rig.owner.token);
  const asked = { taskPrompt: 'tool: ls\nto be streamed', agent: 'echo', idempotencyKey: 'one' };
  await using stream = await rpc.stream('session.start', asked);
  const messages = await stream.all();
  const last = messages.at(-1);
  assert.equal(last.result.status, 'completed');
  assert.ok(last.gateway.generation > 0);
  const updates = messages.slice(0, -1).map(({ method, params }) => {
    assert.equal(method, 'session.update');
    return updateSchema.parse(params);
  });
  assert.deepEqual(
    updates.map(({ seq }) => seq),
    updates.map((_one, index) => index + 1),
  );
  const events = updates.map(({ event }) => event);
  assert.deepEqual([events[0], events.at(-1)], ['queued', 'completed']);
  assert.ok(events.includes('started'));
  const said = updates.map(({ delta }) => delta ?? '').join('');
  assert.equal(said, last.result.result.output);
  // Cut off in the middle, and asked again: the same turn, from there on.
  const seen = updates[3]?.seq ?? 0;
  await using again = await rpc.stream('session.start', { ...asked, lastSeq: seen });
  const rest = await again.all();
  assert.equal(rest.at(-1).result.turnId, last.result.turnId);
  assert.deepEqual(
    rest.slice(0, -1).map(({ params }) => params.seq),
    updates.map(({ seq }) => seq).filter((seq) => seq > seen),
  );
  // And by the one who has seen everything, or says to have seen more.
  for (const lastSeq of [last.result.lastSeq, 1_000_000]) {
    const { turnId } = last.result;
    await using done = await rpc.stream('tasks.get', { turnId, lastSeq });
    const only = await done.all();
    assert.equal(only.length, 1);
    assert.equal(only[0].result.status, 'completed');
  }
});

test('a socket answers at once, and tells what happens afterwards', async () => {
  await using rig = await openTestGateway();
  await using socket = await RpcSocket.open(rig.url, rig.owner.token);
  const { result } = await socket.call('session.start', { taskPrompt: 'ask: rm x', agent: 'echo' });
  const { threadId, turnId } = result;
  const open = await socket.until(({ params }) => params?.type === 'approval');
  assert.equal(open.params.turnId, turnId);
  assert.equal(open.params.progress.stage, 'waiting');
  const listed = (await socket.call('permissions.list', { threadId })).result;
  const [item] = listed.items;
  assert.equal(item.turnId, turnId);
  const { requestId } = item;
  const respond = (params: object) => socket.call('permissions.respond', { requestId, ...params });
  const codeOf = ({ error }: Message): unknown => error?.data.code;
  const [{ optionId }] = item.options;
  assert.equal(codeOf(await respond({ optionId: 'x' })), 'PERMISSION_OPTION_NOT_OFFERED');
  assert.equal(
    codeOf(await respond({ optionId, threadId: '0'.repeat(16) })),
    'PERMISSION_SESSION_MISMATCH',
  );
  assert.equal(
    codeOf(await socket.call('permissions.respond', { requestId: 'none', optionId })),
    'PERMISSION_REQUEST_NOT_FOUND',
  );
  assert.equal((await respond({ optionId, threadId })).result.ok, true);
  assert.equal(codeOf(await respond({ optionId })), 'PERMISSION_ALREADY_DECIDED');
  const end = await socket.until(isEnd);
  assert.equal(end.params.event, 'completed');
  const said = await socket.call('session.message', { threadId, taskPrompt: 'ask: more' });
  await socket.until(
    ({ params }) => params?.type === 'approval' && params.turnId === said.result.turnId,
  );
  const cancelled = await socket.call('session.cancel', { threadId });
  assert.deepEqual(cancelled.result, { accepted: true, runCancelled: true });
  const over = await socket.until(isEnd);
  assert.equal(over.params.event, 'cancelled');
  const twice = await socket.call('tasks.cancel', { turnId: said.result.turnId });
  assert.deepEqual(twice.result, { accepted: false, status: 'cancelled' });
  const closed = await socket.call('session.close', { threadId });
  assert.equal(closed.result.accepted, true);
});

test('who says something first and asks for what it missed afterwards gets all of it, and nothing twice', async () => {
  await using rig = await openTestGateway();
  const rpc = createRpc(rig.url, rig.owner.token);
  const first = await rpc.result('session.start', { taskPrompt: 'one', agent: 'echo' });
  const { threadId, turnId } = first;
  await untilEnded(rpc, { turnId });
  await using socket = await RpcSocket.open(rig.url, rig.owner.token);
  const seqs: number[] = [];
  const untilEndOf = async (turn: string): Promise<void> => {
    for (;;) {
      const { params } = await socket.until(({ method }) => method === 'session.update');
      seqs.push(params.seq);
      if (params.turnId === turn && params.result !== null) return;
    }
  };
  const say = async (taskPrompt: string): Promise<string> =>
    (await socket.call('session.message', { threadId, taskPrompt })).result.turnId;
  await untilEndOf(await say('two'));
  const [began = 0] = seqs;
  assert.ok(began > 6, 'it is followed from what was said last');
  // Twice, each time more of the past; then something that is followed already.
  for (const lastSeq of [began - 3, 2, 4]) {
    await socket.call('tasks.get', { turnId, lastSeq });
  }
  await untilEndOf(await say('three'));
  const ordered = seqs.toSorted((one, other) => one - other);
  const expected = Array.from({ length: ordered.length }, (_one, index) => index + 3);
  assert.deepEqual(ordered, expected);
});

test('what is not there is a result where it is polled for, and an error elsewhere', async () => {
  await using rig = await openTestGateway();
  const rpc = createRpc(rig.url, rig.owner.token);
  const missing = '0'.repeat(16);
  const refs = [{ turnId: missing }, { threadId: missing }, { sessionId: missing }, {}];
  for (const ref of [...refs, { runId: missing }, { taskId: 'anything' }, { appThreadKey: 'a' }]) {
    const result = await rpc.result('tasks.get', ref);
    assert.equal(result.ok, false);
    assert.equal(result.status, 'not_found');
    assert.equal(result.code, 'ACP_SESSION_NOT_FOUND');
  }
  for (const method of ['session.message', 'session.start']) {
    const { error } = await rpc.call(method, { threadId: missing, taskPrompt: 'x' });
    assert.deepEqual([error.code, error.data.code], [-32_002, 'ACP_SESSION_NOT_FOUND']);
  }
});

test('a client’s own key is a thread, and its key of a message is one turn', async () => {
  await using rig = await openTestGateway();
  const rpc = createRpc(rig.url, rig.owner.token);
  const asked = { threadId: 'my own: 7', taskPrompt: 'once', agent: 'echo', idempotencyKey: 'k' };
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => rpc.result('session.start', asked)),
  );
  const [first] = answers;
  for (const { threadId, turnId } of answers) {
    assert.deepEqual([threadId, turnId], [first.threadId, first.turnId]);
  }
  await untilEnded(rpc, { threadId: 'my own: 7' });
  assert.equal((await rpc.result('threads.list')).total, 1);
  // Without a thread, the key of the message stands for both.
  const alone = { taskPrompt: 'twice?', agent: 'echo', idempotencyKey: 'k' };
  const [one, two] = [
    await rpc.result('session.start', alone),
    await rpc.result('session.start', alone),
  ];
  assert.notEqual(one.threadId, first.threadId);
  assert.deepEqual([two.threadId, two.turnId], [one.threadId, one.turnId]);
  await untilEnded(rpc, { turnId: one.turnId });
});

test('a turn that waits says where it stands and why, and so does the queue', async () => {
  const echo = { name: 'echo', command: fakeAgentCommand() };
  await using rig = await openTestGateway({ config: { agents: { named: [echo], activeMax: 1 } } });
  const rpc = createRpc(rig.url, rig.owner.token);
  const first = await rpc.result('session.start', { taskPrompt: 'ask: x' });
  const second = await rpc.result('session.start', { taskPrompt: 'waits' });
  const third = await rpc.result('session.message', {
    threadId: second.threadId,
    taskPrompt: 'waits for the one before',
  });
  assert.deepEqual([third.status, third.queue.ahead], ['queued', third.queue.position - 1]);
  assert.equal(third.queue.reason, 'thread-order');
  const queue = await rpc.result('tasks.queue');
  rpcMethods['tasks.queue'].result.parse(queue);
  const waiting = queue.positions.map(({ turnId }: Message) => turnId);
  assert.ok(waiting.includes(second.turnId) && waiting.includes(third.turnId));
  const { lanes } = await rpc.result('tasks.queue', { lane: 'echo' });
  assert.deepEqual(
    lanes.map(({ agent }: Message) => agent),
    ['echo'],
  );
  // Every turn waits in a lane of each kind.
  for (const lane of ['agent', 'account', 'gateway', 'echo']) {
    const { positions } = await rpc.result('tasks.queue', { lane });
    assert.deepEqual(
      positions.map(({ turnId }: Message) => turnId),
      waiting,
      lane,
    );
  }
  for (const { turnId } of [third, second, first]) {
    assert.equal((await rpc.result('tasks.cancel', { turnId })).accepted, true);
    assert.equal((await untilEnded(rpc, { turnId })).status, 'cancelled');
  }
});

test('capabilities name the agents, the limits and how to poll, under both of their names', async () => {
  await using rig = await openTestGateway();
  const rpc = createRpc(rig.url, rig.owner.token);
  const result = await rpc.result('acp.capabilities');
  rpcMethods['acp.capabilities'].result.parse(result);
  assert.equal(result.gateway.version, '0.0.0-test');
  assert.ok(result.gatewayProviders.includes('echo'));
  assert.equal(result.permissionRelay, true);
  for (const name of ['capabilities', 'xworkmate.capabilities', 'xworkmate.acp.capabilities']) {
    assert.deepEqual(await rpc.result(name), result);
  }
});

test('how to poll is the same in the capabilities and in the tasks, running and waiting', async () => {
  const echo = { name: 'echo', command: fakeAgentCommand() };
  await using rig = await openTestGateway({ config: { agents: { named: [echo], activeMax: 1 } } });
  await using socket = await RpcSocket.open(rig.url, rig.owner.token);
  const call = async (method: string, params?: object) =>
    (await socket.call(method, params)).result;
  const { poll } = await call('acp.capabilities');
  const first = await call('session.start', { taskPrompt: 'ask: x' });
  await socket.until(({ params }) => params?.type === 'approval');
  const second = await call('session.start', { taskPrompt: 'waits' });
  const running = await call('tasks.get', { turnId: first.turnId });
  assert.equal(running.poll.intervalMs, poll.intervalMs);
  assert.equal(running.poll.untilMs - Date.parse(running.deadlineAt), poll.afterDeadlineMs);
  const waiting = await call('tasks.get', { turnId: second.turnId });
  assert.equal(waiting.status, 'queued');
  assert.equal(waiting.poll.intervalMs, poll.waitingIntervalMs);
  for (const { turnId } of [second, first]) await call('tasks.cancel', { turnId });
});

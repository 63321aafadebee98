/*
 * A session over a socket: its events by number, each once, and its end.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionServerMessageSchema } from '@clawdfather/protocol/api';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { startRun, TestSocket } from './fixtures.ts';

const audit = { action: 'test', actor: 'test' };

interface TestSession {
  readonly id: string;
  readonly threadId: string;
  append(texts: readonly string[]): Promise<void>;
}

async function openSession(rig: TestGateway): Promise<TestSession> {
  const { body } = await createAsk(rig)('POST', 'sessions', { body: {} });
  const { session } = body;
  const account = rig.gateway.store.forAccount(rig.owner.accountId);
  const made = await account.threads.create({ sessionId: session.id, title: 'chat', audit });
  if (!('thread' in made)) throw new Error(made.outcome);
  const threadId = made.thread.id;
  return {
    id: session.id,
    threadId,
    append: async (texts) => {
      const current = await account.sessions.get(session.id);
      const events = texts.map((text) => ({ type: 'delta', payload: { text } }));
      const { outcome } = await account.events.append({
        threadId,
        epoch: current?.epoch ?? 0,
        events,
      });
      assert.equal(outcome, 'appended');
    },
  };
}

async function connect(rig: TestGateway, id: string, auth: object = {}): Promise<TestSocket> {
  const socket = await new TestSocket(`${rig.url}/ws/sessions/${id}`).opened();
  return socket.send({ type: 'auth', token: rig.owner.token, ...auth });
}

async function seqs(socket: TestSocket, count: number): Promise<readonly number[]> {
  const found = [];
  for (let index = 0; index < count; index += 1) found.push((await socket.next('event')).seq);
  return found;
}

test('events are replayed from a number on and go on live, each once', async () => {
  await using rig = await openTestGateway();
  const session = await openSession(rig);
  await session.append(['a', 'b', 'c']);
  await using socket = await connect(rig, session.id, { resume_from: 1 });
  const hello = await socket.next('session');
  assert.deepEqual([hello.thread_id, hello.last_seq], [session.threadId, 3]);
  assert.equal(hello.session.id, session.id);
  assert.deepEqual(await seqs(socket, 2), [2, 3]);
  await session.append(['d']);
  const event = await socket.next('event');
  assert.deepEqual([event.seq, event.kind, event.payload], [4, 'delta', { text: 'd' }]);
  for (const message of [hello, event]) sessionServerMessageSchema.parse(message);

  await using fresh = await connect(rig, session.id);
  await fresh.next('session');
  await session.append(['e']);
  assert.deepEqual(await seqs(fresh, 1), [5]);
});

test('more events than are read at once arrive in order and without a hole', async () => {
  await using rig = await openTestGateway();
  const session = await openSession(rig);
  const texts = Array.from({ length: 1_234 }, (_, index) => `event ${index}`);
  await session.append(texts);
  await using socket = await connect(rig, session.id, { resume_from: 0 });
  const numbers = await seqs(socket, texts.length);
  assert.deepEqual(
    numbers,
    Array.from(texts.keys()).map((index) => index + 1),
  );
});

test('a resume goes on where it was, also on another gateway process of the same data', async () => {
  await using rig = await openTestGateway();
  const session = await openSession(rig);
  await session.append(['a', 'b']);
  await using one = await connect(rig, session.id, { resume_from: 0 });
  const [, last] = await seqs(one, 2);
  one.ws.terminate();
  await one.closed;
  await session.append(['c']);
  await using two = await connect(rig, session.id, { resume_from: last });
  assert.deepEqual(await seqs(two, 1), [3]);
});

test('a session that is closed says why, after all its events, and closes with 4001', async () => {
  await using rig = await openTestGateway();
  const session = await openSession(rig);
  await using socket = await connect(rig, session.id);
  await socket.next('session');
  await session.append(['last words']);
  const closed = await rig.request(`/api/v1/sessions/${session.id}`, { method: 'DELETE' });
  assert.ok(closed.ok);
  assert.equal((await socket.next('session_closed')).reason, 'user');
  assert.deepEqual(
    socket.messages.filter(({ type }) => type === 'event').length,
    1,
    'the event came first',
  );
  assert.equal((await socket.closed).code, 4001);

  await using late = await connect(rig, session.id, { resume_from: 0 });
  assert.deepEqual(await seqs(late, 1), [1]);
  await late.next('session_closed');
  assert.equal((await late.closed).code, 4001);
});

test('a session of somebody else is missing, in the same words as one that never was', async () => {
  await using rig = await openTestGateway();
  const session = await openSession(rig);
  const refusals = [];
  for (const id of [session.id, '0'.repeat(16)]) {
    await using socket = await connect(rig, id, { token: rig.other.token });
    const { code, reason } = await socket.closed;
    refusals.push({ code, reason, messages: socket.messages });
  }
  assert.equal(refusals[0]?.code, 4004);
  assert.deepEqual(refusals[0], refusals[1]);
});

test('messages and cancels are refused as long as there are no agents, and runs are followed', async () => {
  await using rig = await openTestGateway();
  const session = await openSession(rig);
  const runId = await startRun(rig, { command: 'echo hello; read x' });
  await using socket = await connect(rig, session.id);
  socket.send({ type: 'message', text: 'hi', client_message_id: '1' });
  assert.equal((await socket.next('error')).code, 'unsupported');
  socket.send({ type: 'cancel' });
  assert.equal((await socket.next('error')).code, 'unsupported');
  socket.send({ type: 'terminal.attach', run_id: runId });
  await socket.until(() => socket.output() === 'hello\n');
  socket.send({ type: 'terminal.input', run_id: runId, data: '\n' });
  assert.equal((await socket.next('run_ended')).run_id, runId);
  socket.send({ type: 'terminal.attach', run_id: '0'.repeat(16) });
  assert.equal((await socket.next('error')).code, 'not_found');
  socket.send({ type: 'terminal.attach' });
  assert.equal((await socket.next('error')).code, 'validation_error');
});

test('whatever names the session is a heartbeat of its client', async () => {
  await using rig = await openTestGateway();
  const session = await openSession(rig);
  const { sessions } = rig.gateway.store.forAccount(rig.owner.accountId);
  const before = await sessions.get(session.id);
  await using socket = await connect(rig, session.id);
  socket.send({ type: 'heartbeat' });
  await socket.next('heartbeat_ack');
  const after = await sessions.get(session.id);
  assert.ok((after?.clientHeartbeatAtMs ?? 0) > (before?.clientHeartbeatAtMs ?? 0));
});

/*
 * A session over a socket: its runs, its heartbeats and its end.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionServerMessageSchema } from '@clawdfather/protocol/api';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { startRun, TestSocket } from './fixtures.ts';

async function openSession(rig: TestGateway): Promise<string> {
  const { body } = await createAsk(rig)('POST', 'sessions', { body: {} });
  return body.session.id;
}

async function connect(rig: TestGateway, id: string, auth: object = {}): Promise<TestSocket> {
  const socket = await new TestSocket(`${rig.url}/ws/sessions/${id}`).opened();
  return socket.send({ type: 'auth', token: rig.owner.token, ...auth });
}

test('a session that is closed says why to every socket, and closes with 4001', async () => {
  await using rig = await openTestGateway();
  const id = await openSession(rig);
  await using one = await connect(rig, id);
  await using two = await connect(rig, id);
  for (const socket of [one, two]) {
    const hello = sessionServerMessageSchema.parse(await socket.next('session'));
    assert.equal('session' in hello && hello.session.id, id);
  }
  const closed = await rig.request(`/api/v1/sessions/${id}`, { method: 'DELETE' });
  assert.ok(closed.ok);
  for (const socket of [one, two]) {
    const end = sessionServerMessageSchema.parse(await socket.next('session_closed'));
    assert.equal('reason' in end && end.reason, 'user');
    assert.equal((await socket.closed).code, 4001);
  }

  await using late = await connect(rig, id);
  assert.equal((await late.next('session')).session.status, 'closed');
  await late.next('session_closed');
  assert.equal((await late.closed).code, 4001);
});

test('a socket that leaves does not take the end from the others', async () => {
  await using rig = await openTestGateway();
  const id = await openSession(rig);
  await using one = await connect(rig, id);
  await using two = await connect(rig, id);
  await Promise.all([one.next('session'), two.next('session')]);
  one.ws.terminate();
  await one.closed;
  await rig.request(`/api/v1/sessions/${id}`, { method: 'DELETE' });
  assert.equal((await two.next('session_closed')).reason, 'user');
});

test('a session of somebody else is missing, in the same words as one that never was', async () => {
  await using rig = await openTestGateway();
  const id = await openSession(rig);
  const refusals = [];
  for (const named of [id, '0'.repeat(16)]) {
    await using socket = await connect(rig, named, { token: rig.other.token });
    const { code, reason } = await socket.closed;
    refusals.push({ code, reason, messages: socket.messages });
  }
  assert.equal(refusals[0]?.code, 4004);
  assert.deepEqual(refusals[0], refusals[1]);
});

test('runs are followed and driven on a session socket', async () => {
  await using rig = await openTestGateway();
  const id = await openSession(rig);
  const runId = await startRun(rig, { command: 'echo hello; read x' });
  await using socket = await connect(rig, id);
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
  const id = await openSession(rig);
  const { sessions } = rig.gateway.store.forAccount(rig.owner.accountId);
  const before = await sessions.get(id);
  await using socket = await connect(rig, id);
  socket.send({ type: 'heartbeat' });
  await socket.next('heartbeat_ack');
  const after = await sessions.get(id);
  assert.ok((after?.clientHeartbeatAtMs ?? 0) > (before?.clientHeartbeatAtMs ?? 0));
});

/*
 * One run over a socket: followed, resumed by cursor, typed into, in JSON and in binary.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runServerMessageSchema } from '@clawdfather/protocol/api';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { openRunSocket, parseBinary, startRun, TestSocket } from './fixtures.ts';

test('output is followed to the end, and every message has the documented shape', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: 'echo one; echo two >&2; exit 3' });
  await using socket = await openRunSocket(rig, runId);
  socket.send({ type: 'terminal.attach' });
  const { code } = await socket.closed;
  assert.equal(code, 1000);
  for (const message of socket.messages) runServerMessageSchema.parse(message);
  const ended = socket.messages.find((message) => message.type === 'run_ended');
  assert.equal(ended?.exit.code, 3);
  const data = socket.messages.filter((message) => message.type === 'terminal.data');
  assert.deepEqual(
    data.map(({ stream, bytes }) => [stream, Buffer.from(bytes, 'base64').toString()]),
    [
      ['stdout', 'one\n'],
      ['stderr', 'two\n'],
    ],
  );
});

test('a client that comes again with its last cursor gets the rest and nothing twice', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: 'echo first; read x; echo "second $x"; read y' });
  await using one = await openRunSocket(rig, runId);
  one.send({ type: 'terminal.attach' });
  const { cursor, bytes } = await one.next('terminal.data');
  assert.equal(Buffer.from(bytes, 'base64').toString(), 'first\n');
  one.ws.terminate();
  await one.closed;

  await using two = await openRunSocket(rig, runId);
  two.send({ type: 'terminal.attach', cursor });
  await two.next('terminal.attached');
  two.send({ type: 'terminal.input', data: 'x\n', input_id: 'a' });
  assert.equal((await two.next('terminal.input_ack')).input_id, 'a');
  await two.until(() => two.output() !== '');
  assert.equal(two.output(), 'second x\n');
  two.send({ type: 'terminal.input', data: '', eof: true });
  assert.equal((await two.closed).code, 1000);
});

test('the binary form carries run, stream, cursor and bytes as documented', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: "printf '\\000\\377'; read x" });
  await using socket = await openRunSocket(rig, runId);
  socket.send({ type: 'terminal.attach', binary: true });
  await socket.until(() => socket.binaries.length > 0);
  const message = parseBinary(socket.binaries[0] ?? Buffer.alloc(0));
  assert.deepEqual(
    { ...message, data: [...message.data], cursor: undefined },
    { kind: 1, stream: 1, runId, cursor: undefined, data: [0, 255] },
  );
  await using again = await openRunSocket(rig, runId);
  again.send({ type: 'terminal.attach', cursor: message.cursor });
  await again.next('terminal.attached');
  socket.send({ type: 'terminal.input', data: 'Cg==', encoding: 'base64' });
  await again.next('run_ended');
  assert.equal(again.output(), '');
});

test('after a detach nothing comes, and the run goes on', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: 'read x; echo "got $x"; read y' });
  await using socket = await openRunSocket(rig, runId);
  socket.send({ type: 'terminal.attach' });
  await socket.next('terminal.attached');
  socket.send({ type: 'terminal.detach' }).send({ type: 'heartbeat' });
  await socket.next('heartbeat_ack');
  await using other = await openRunSocket(rig, runId);
  other.send({ type: 'terminal.attach' }).send({ type: 'terminal.input', data: 'x\n' });
  await other.until(() => other.output() === 'got x\n');
  assert.equal(socket.output(), '');
});

test('a run of somebody else is missing, in the same words as one that never was', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: 'sleep 60' });
  const refusals = [];
  for (const id of [runId, '0'.repeat(16)]) {
    await using socket = new TestSocket(`${rig.url}/ws/runs/${id}`);
    await socket.opened();
    socket.send({ type: 'auth', token: rig.other.token });
    const { code, reason } = await socket.closed;
    refusals.push({ code, reason, messages: socket.messages });
  }
  assert.equal(refusals[0]?.code, 4004);
  assert.deepEqual(refusals[0], refusals[1]);
});

test('a token that may only read follows and types nothing', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: 'echo hello; read x' });
  const made = await createAsk(rig)('POST', 'auth/tokens', {
    body: { label: 'reader', scopes: ['read'] },
  });
  const { token } = made.body;
  await using socket = await openRunSocket(rig, runId, { token });
  socket.send({ type: 'terminal.attach' });
  await socket.until(() => socket.output() === 'hello\n');
  for (const message of [
    { type: 'terminal.input', data: 'x\n' },
    { type: 'terminal.input', data: 'x\n', input_id: 'that one' },
    { type: 'terminal.resize', cols: 80, rows: 24 },
    { type: 'terminal.fit', cols: 80, rows: 24 },
    { type: 'terminal.attach', as: 'terminal' },
    { type: 'approve', approval_id: '0'.repeat(16), decision: 'deny' },
  ]) {
    socket.send(message);
    const { code, about, input_id: inputId } = await socket.next('error');
    assert.deepEqual([code, about], ['forbidden', message.type]);
    assert.equal(inputId, message.input_id);
  }
});

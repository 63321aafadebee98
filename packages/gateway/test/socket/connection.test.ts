/*
 * One socket's life: who it is, what it may send, and how it ends.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { createSupervisor, type RunId } from '@clawdfather/supervisor';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { authMs } from '../../src/socket/limits.ts';
import { openRunSocket, startRun, TestSocket } from './fixtures.ts';

const missing = `/ws/runs/${'0'.repeat(16)}`;

test('whoever does not say who it is in time is closed', async () => {
  // The five seconds pass at once; everything else keeps the real clock.
  const system = createSystemClock();
  const clock = {
    ...system,
    timer: (ms: number, fire: () => void) => system.timer(ms === authMs ? 1 : ms, fire),
  };
  await using rig = await openTestGateway({ deps: { clock } });
  await using socket = await new TestSocket(`${rig.url}${missing}`).opened();
  assert.equal((await socket.closed).code, 1008);
});

test('a bad token is told so and closed with 4001; anything before auth with 1008', async () => {
  await using rig = await openTestGateway();
  for (const token of ['clf_'.padEnd(47, 'x'), 'nonsense', '']) {
    await using socket = await new TestSocket(`${rig.url}${missing}`).opened();
    socket.send({ type: 'auth', token });
    assert.equal((await socket.next('error')).code, 'unauthorized');
    assert.equal((await socket.closed).code, 4001);
  }
  for (const first of ['{}', 'not json', '[]', '{"type":"heartbeat"}', '{"type":"auth","x":1}']) {
    await using socket = await new TestSocket(`${rig.url}${missing}`).opened();
    socket.ws.send(first);
    assert.equal((await socket.next('error')).code, 'validation_error');
    assert.equal((await socket.closed).code, 1008, first);
  }
});

test('malformed messages are refused one by one, and the socket goes on', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: 'sleep 60' });
  await using socket = await openRunSocket(rig, runId);
  for (const text of [
    '',
    'x',
    'null',
    '[]',
    '"text"',
    '{"type":"auth","token":"x"}',
    '{"type":"nothing"}',
    '{"type":"terminal.resize","cols":0,"rows":1}',
    '{"type":"terminal.attach","cursor":"../.."}',
    '{"type":"terminal.input","data":"x","extra":1}',
    '{"type":"message","text":"hello","client_message_id":"1"}',
    `{"type":"terminal.input","run_id":"${'a'.repeat(40)}","data":"x"}`,
  ]) {
    socket.ws.send(text);
    assert.equal((await socket.next('error')).code, 'validation_error', text);
  }
  socket.ws.send(Buffer.from('{"type":"heartbeat"}'), { binary: true });
  assert.equal((await socket.next('error')).code, 'validation_error');
  socket.send({ type: 'terminal.attach', run_id: '0'.repeat(16) });
  assert.equal((await socket.next('error')).code, 'not_found');
  socket.send({ type: 'heartbeat' });
  const { server_time: time } = await socket.next('heartbeat_ack');
  assert.ok(Number.isFinite(Date.parse(time)));
});

test('a message of more than 64 KiB closes with 1009, also in pieces', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: 'sleep 60' });
  await using whole = await openRunSocket(rig, runId);
  whole.ws.send('x'.repeat(65_537));
  assert.equal((await whole.closed).code, 1009);
  await using pieces = await openRunSocket(rig, runId);
  for (let index = 0; index < 70; index += 1) pieces.ws.send('y'.repeat(1024), { fin: false });
  assert.equal((await pieces.closed).code, 1009);
});

test('what is sent right after auth is handled after it', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: 'read x; echo "got $x"' });
  await using socket = await new TestSocket(`${rig.url}/ws/runs/${runId}`).opened();
  socket
    .send({ type: 'auth', token: rig.owner.token })
    .send({ type: 'terminal.attach' })
    .send({ type: 'terminal.input', data: 'early\n' });
  await socket.next('run_ended');
  assert.equal(socket.output(), 'got early\n');
});

test('a run that does not read holds up nothing but what is typed into it', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: 'sleep 60' });
  await using socket = await openRunSocket(rig, runId);
  socket.send({ type: 'terminal.attach' });
  await socket.next('terminal.attached');
  const data = 'x'.repeat(50_000);
  for (let index = 0; index < 3; index += 1) socket.send({ type: 'terminal.input', data });
  socket.send({ type: 'heartbeat' });
  await socket.next('heartbeat_ack');
});

test('more input than a run reads stops the reading of its socket, and no byte is lost', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: 'read go; wc -c; echo done' });
  await using socket = await openRunSocket(rig, runId);
  socket.send({ type: 'terminal.attach' });
  await socket.next('terminal.attached');
  const data = 'x'.repeat(50_000);
  const count = 60;
  socket.send({ type: 'terminal.input', data: 'go\n' });
  for (let index = 0; index < count; index += 1) socket.send({ type: 'terminal.input', data });
  socket.send({ type: 'terminal.input', data: '', eof: true });
  await socket.next('run_ended');
  assert.equal(socket.output(), `${count * data.length}\ndone\n`);
});

test('a gateway that stops closes its sockets with 1001, leaves none, and ends no run', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: 'sleep 60' });
  await using waiting = await new TestSocket(`${rig.url}${missing}`).opened();
  await using socket = await openRunSocket(rig, runId);
  socket.send({ type: 'terminal.attach' });
  await socket.next('terminal.attached');
  await rig.gateway.close();
  assert.equal((await socket.closed).code, 1001);
  assert.equal((await waiting.closed).code, 1001);
  assert.deepEqual(rig.gateway.sockets.counts().live, { runs: 0, readers: 0, readersBehind: 0 });
  await endAlone(rig, runId);
});

/* Without the gateway: its runs outlive it. */
async function endAlone({ config }: TestGateway, runId: string): Promise<void> {
  const supervisor = await createSupervisor({
    stateDir: config.stateDir,
    launcher: 'direct',
    adoption: 'adopt',
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: silentLog,
  });
  const run = await supervisor.attach(runId as RunId);
  assert.equal(run.snapshot().exit, undefined);
  await run.cancel('manual-cancel', 'test', 0);
  await run.wait();
  await supervisor.close();
}

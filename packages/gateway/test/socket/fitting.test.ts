/*
 * Whose size a run's terminal has, over sockets: who looks on changes nothing, and a size that was asked for goes with the one who
 * asked. The program says its size itself (`stty size`), and the run's journal how often it was changed.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { createSupervisor, type RunId } from '@clawdfather/supervisor';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { untilTrue } from '../hosts/host-world.ts';
import { openRunSocket, startRun, type TestSocket } from './fixtures.ts';

const rig = await openTestGateway();
after(() => rig[Symbol.asyncDispose]());
const ask = createAsk(rig);

const program = 'trap "stty size" WINCH; echo ready; while :; do sleep 0.01; done';
const own = [120, 30] as const;
const phone = { cols: 45, rows: 28 };
const desktop = { cols: 190, rows: 48 };

async function open(runId: string, as: 'viewer' | 'terminal'): Promise<TestSocket> {
  const socket = await openRunSocket(rig, runId);
  socket.send({ type: 'terminal.attach', as });
  await socket.next('terminal.attached');
  await socket.until(() => socket.output().includes('ready'));
  return socket;
}

/* What the journal has, from its beginning to now. */
async function sizesOf(runId: string): Promise<readonly (readonly [number, number])[]> {
  const sizes: [number, number][] = [];
  const { stateDir } = rig.config;
  const supervisor = await createSupervisor({ stateDir, launcher: 'direct', adoption: 'record' });
  const run = await supervisor.attach(runId as RunId);
  for await (const event of run.outputSoFar()) {
    if (event.kind === 'resize') sizes.push([event.cols, event.rows]);
  }
  await supervisor.close();
  return sizes;
}

/* The last size that the program has said. */
async function saysLast(socket: TestSocket, size: string): Promise<void> {
  await socket.until(() => socket.output().trimEnd().endsWith(size));
}

test('looking on, typing and a size that a viewer says change nothing', async () => {
  const runId = await startRun(rig, { command: program, pty: true });
  await using viewer = await open(runId, 'viewer');
  viewer.send({ type: 'terminal.input', data: 'typed\n' });
  viewer.send({ type: 'terminal.resize', ...phone });
  const { code, about } = await viewer.next('error');
  assert.deepEqual([code, about], ['forbidden', 'terminal.resize']);
  await viewer.until(() => viewer.output().includes('typed'));
  await using second = await open(runId, 'viewer');
  second.send({ type: 'terminal.unfit' });
  assert.equal((await second.next('terminal.fitted')).size, null);
  assert.deepEqual(await sizesOf(runId), [own]);
});

test('fitting is one change, and its end, asked for or not, is one back', async () => {
  const runId = await startRun(rig, { command: program, pty: true });
  await using viewer = await open(runId, 'viewer');
  {
    await using fitting = await open(runId, 'viewer');
    fitting.send({ type: 'terminal.fit', ...phone });
    assert.deepEqual((await fitting.next('terminal.fitted')).size, phone);
    await saysLast(viewer, '28 45');
    assert.deepEqual(await sizesOf(runId), [own, [45, 28]]);
    // A page that is behind stops following for a while; the size stays.
    fitting.send({ type: 'terminal.detach' }).send({ type: 'terminal.fit', ...phone });
    await fitting.next('terminal.fitted');
    fitting.send({ type: 'terminal.unfit' });
    assert.equal((await fitting.next('terminal.fitted')).size, null);
    await saysLast(viewer, '30 120');
    fitting.send({ type: 'terminal.fit', ...phone });
    await saysLast(viewer, '28 45');
    // The end of the block cuts the connection.
  }
  await saysLast(viewer, '30 120');
  assert.deepEqual(await sizesOf(runId), [own, [45, 28], own, [45, 28], own]);
});

test('the last act has the size, and who leaves gives it to the one before', async () => {
  const runId = await startRun(rig, { command: program, pty: true });
  await using viewer = await open(runId, 'viewer');
  const terminal = await open(runId, 'terminal');
  terminal.send({ type: 'terminal.resize', ...desktop });
  await saysLast(viewer, '48 190');
  const fitting = await open(runId, 'viewer');
  fitting.send({ type: 'terminal.fit', ...phone });
  await saysLast(viewer, '28 45');
  terminal.send({ type: 'terminal.resize', ...desktop, rows: 40 });
  await saysLast(viewer, '40 190');
  fitting.send({ type: 'terminal.fit', ...phone });
  await saysLast(viewer, '28 45');
  fitting.ws.terminate();
  await saysLast(viewer, '40 190');
  terminal.ws.terminate();
  await saysLast(viewer, '30 120');
});

test('the size that the run itself was given stays when all have left', async () => {
  const runId = await startRun(rig, { command: program, pty: true });
  await using viewer = await open(runId, 'viewer');
  const fitting = await open(runId, 'viewer');
  fitting.send({ type: 'terminal.fit', ...phone });
  await saysLast(viewer, '28 45');
  await ask('POST', `runs/${runId}/resize`, { body: { cols: 100, rows: 33 } });
  await saysLast(viewer, '33 100');
  fitting.ws.terminate();
  await fitting.closed;
  viewer.send({ type: 'terminal.fit', ...phone }).send({ type: 'terminal.unfit' });
  await viewer.next('terminal.fitted');
  await viewer.next('terminal.fitted');
  const last = [
    [100, 33],
    [45, 28],
    [100, 33],
  ];
  // The shim gives the size back when it sees that the connection is gone, which is after our answer.
  await untilTrue(async () => isDeepStrictEqual((await sizesOf(runId)).slice(-3), last));
});

test('a run on pipes has no size, and a run is fitted by few at a time', async () => {
  const piped = await startRun(rig, { command: 'read x' });
  await using socket = await openRunSocket(rig, piped);
  socket.send({ type: 'terminal.fit', ...phone });
  assert.equal((await socket.next('error')).code, 'validation_error');
  const runId = await startRun(rig, { command: program, pty: true });
  const sockets = await Promise.all(Array.from({ length: 9 }, () => openRunSocket(rig, runId)));
  for (const one of sockets.slice(0, 8)) {
    one.send({ type: 'terminal.fit', ...phone });
    await one.next('terminal.fitted');
  }
  const [first, last] = [sockets[0], sockets[8]];
  last?.send({ type: 'terminal.fit', ...phone });
  assert.equal((await last?.next('error'))?.code, 'run_limit_reached');
  first?.send({ type: 'terminal.unfit' });
  await first?.next('terminal.fitted');
  last?.send({ type: 'terminal.fit', ...phone });
  await last?.next('terminal.fitted');
  for (const one of sockets) one.ws.terminate();
});

/*
 * A size that is held when its gateway is killed, and a shim of before there were held sizes.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createSupervisor, type RunId } from '@clawdfather/supervisor';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { TestSocket } from './fixtures.ts';
import { makeOlder } from './older-shim.ts';

const directory = await mkdtemp(join(tmpdir(), 'clf-fit-'));
const stateDir = join(directory, 'state');
after(async () => {
  await endEveryRun(stateDir);
  await rm(directory, { recursive: true, force: true });
});

const program = 'trap "stty size" WINCH; echo ready; while :; do sleep 0.01; done';
const phone = { cols: 45, rows: 28 };
/* HOLD_SIZE (docs/protocol/shim.md). */
const holdSize = 15;

type Gateway = Awaited<ReturnType<typeof startGatewayProcess>>;

async function open({ url, token }: Gateway, runId: string): Promise<TestSocket> {
  const socket = new TestSocket(`${url}/ws/runs/${runId}`);
  await socket.opened();
  socket.send({ type: 'auth', token });
  await socket.next('run');
  socket.send({ type: 'terminal.attach', as: 'viewer' });
  await socket.next('terminal.attached');
  await socket.until(() => socket.output().includes('ready'));
  return socket;
}

test('a gateway that is killed while a phone holds the size: the shim gives it back, with no gateway there', async () => {
  const gateway = await startGatewayProcess(directory);
  const runId = await gateway.me.start({ command: program, pty: true, background: true });
  const socket = await open(gateway, runId);
  socket.send({ type: 'terminal.fit', ...phone });
  await socket.next('terminal.fitted');
  await socket.until(() => socket.output().includes('28 45'));
  await gateway.end('SIGKILL');
  await socket.closed;
  const supervisor = await createSupervisor({ stateDir, launcher: 'direct', adoption: 'record' });
  const run = await supervisor.attach(runId as RunId);
  const sizes: string[] = [];
  for await (const event of run.output()) {
    if (event.kind === 'resize') sizes.push(`${event.cols}x${event.rows}`);
    if (sizes.length === 3) break;
  }
  assert.deepEqual(sizes, ['120x30', '45x28', '120x30']);
  await supervisor.close();
  await using next = await startGatewayProcess(directory);
  await using again = await open(next, runId);
  await again.until(() => again.output().trimEnd().endsWith('30 120'));
});

test('a shim that does not know the request: fitting is refused in words, and the run goes on as it was', async () => {
  await using gateway = await startGatewayProcess(directory);
  const runId = await gateway.me.start({ command: program, pty: true, background: true });
  await using _older = await makeOlder(join(stateDir, 'runs', runId), holdSize);
  await using socket = await open(gateway, runId);
  socket.send({ type: 'terminal.fit', ...phone });
  const { code, message, about } = await socket.next('error');
  assert.deepEqual([code, about], ['unsupported', 'terminal.fit']);
  assert.match(message, /older version that cannot give its size back/);
  // What it knows is done, over the same connections.
  socket.send({ type: 'terminal.input', data: 'typed\n' });
  await socket.until(() => socket.output().includes('typed'));
  socket.send({ type: 'terminal.unfit' });
  assert.equal((await socket.next('terminal.fitted')).size, null);
  const { body } = await gateway.me.get(`runs/${runId}/screen`);
  assert.deepEqual([body['cols'], body['rows']], [120, 30]);
});

/*
 * Terminals over sockets (E8): exactly one of them answers the program's questions, viewers never, history never.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerMessage } from '@clawdfather/protocol/api';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { openRunSocket, startRun, type TestSocket } from './fixtures.ts';

async function attach(socket: TestSocket, as: 'viewer' | 'terminal'): Promise<void> {
  socket.send({ type: 'terminal.attach', as });
  assert.equal((await socket.next('terminal.attached')).as, as);
}

function typesOf(socket: TestSocket): readonly ServerMessage['type'][] {
  return socket.messages.map(({ type }) => type);
}

/* Something that every attached client has seen is behind everything that was sent before it. */
async function settle(sockets: readonly TestSocket[], word: string): Promise<void> {
  const [first] = sockets;
  first?.send({ type: 'terminal.input', data: `${word}\n` });
  for (const socket of sockets) await socket.until(() => socket.output().includes(`<${word}>`));
}

const program = 'stty -echo; echo ready; while read line; do echo "<$line>"; done';

test('the first terminal answers, from its own arrival on; viewers and the second do not', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: program, pty: true });
  await using viewer = await openRunSocket(rig, runId);
  await attach(viewer, 'viewer');
  await viewer.until(() => viewer.output().includes('ready'));
  await using first = await openRunSocket(rig, runId);
  await attach(first, 'terminal');
  await first.next('terminal.answers');
  await using second = await openRunSocket(rig, runId);
  await attach(second, 'terminal');
  await settle([viewer, first, second], 'one');
  for (const socket of [viewer, second]) assert.ok(!typesOf(socket).includes('terminal.answers'));

  first.send({ type: 'terminal.detach' });
  await second.next('terminal.answers');
  await settle([viewer, second], 'two');
  assert.ok(!typesOf(viewer).includes('terminal.answers'));
});

test('a terminal that comes again answers nothing of what it is shown again', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: program, pty: true });
  await using before = await openRunSocket(rig, runId);
  await attach(before, 'terminal');
  await settle([before], 'history');
  before.ws.terminate();
  await before.closed;
  await using again = await openRunSocket(rig, runId);
  await attach(again, 'terminal');
  await again.until(() => typesOf(again).includes('terminal.answers'));
  const types = typesOf(again);
  const shown = again.messages.slice(0, types.indexOf('terminal.answers'));
  assert.match(outputOf(shown), /ready[^]*<history>/, 'all of the history comes first');
});

test('a socket that is lost gives its place to the next', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: program, pty: true });
  await using first = await openRunSocket(rig, runId);
  await attach(first, 'terminal');
  await first.next('terminal.answers');
  await using second = await openRunSocket(rig, runId);
  await attach(second, 'terminal');
  first.ws.terminate();
  await second.next('terminal.answers');
});

test('a new size reaches the program, and every viewer is told', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: 'read x; stty size; read y', pty: true });
  await using viewer = await openRunSocket(rig, runId);
  await attach(viewer, 'viewer');
  await using terminal = await openRunSocket(rig, runId);
  terminal.send({ type: 'terminal.attach', as: 'terminal', binary: true });
  terminal.send({ type: 'terminal.resize', cols: 91, rows: 17 });
  for (const socket of [viewer, terminal]) {
    const first = await socket.next('terminal.resized');
    assert.deepEqual([first.cols, first.rows], [120, 30], 'what it began with');
    const { cols, rows } = await socket.next('terminal.resized');
    assert.deepEqual([cols, rows], [91, 17]);
  }
  terminal.send({ type: 'terminal.input', data: '\n' });
  await viewer.until(() => viewer.output().includes('17 91'));
});

test('a run on pipes has no terminal to answer for', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: 'read x' });
  await using socket = await openRunSocket(rig, runId);
  socket.send({ type: 'terminal.attach', as: 'terminal' });
  assert.equal((await socket.next('terminal.attached')).as, 'viewer');
});

function outputOf(messages: readonly ServerMessage[]): string {
  return messages
    .filter((message) => message.type === 'terminal.data')
    .map(({ bytes }) => Buffer.from(bytes, 'base64').toString())
    .join('');
}

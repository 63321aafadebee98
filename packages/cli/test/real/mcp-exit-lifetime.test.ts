/*
 * Ends of runs across the lives of servers: order on the wire, pipes that are gone, runs that another server began, requests
 * that a person decides.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hearMessages, initializeMessage } from '@clawdfather/testkit';
import { createCliRig } from '../support/cli-process.ts';
import { createMcpRig, isGone, openPolicy, startBare } from '../support/mcp-rig.ts';

function exec(id: number, args: object): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'exec', arguments: args } };
}

test('the end of a run that is over at once comes after the result that names it', async (t) => {
  const cli = createCliRig(t);
  const server = startBare(t, cli, openPolicy);
  server.send(initializeMessage);
  await server.answer(1);
  const count = 20;
  for (let id = 2; id < 2 + count; id += 1)
    server.send(exec(id, { command: 'true', background: true }));
  for (let id = 2; id < 2 + count; id += 1) {
    const { result } = (await server.answer(id)) as {
      result: { structuredContent: { runId: string } };
    };
    const { runId } = result.structuredContent;
    const notice = `"data":{"event":"exit","runId":"${runId}"`;
    await server.saw(notice);
    const at = server.stdout.findIndex((line) => line.includes(notice));
    const answerAt = server.stdout.findIndex(
      (line) => line.startsWith('{') && JSON.parse(line).id === id,
    );
    assert.ok(answerAt < at, `${answerAt} before ${at}`);
  }
  const messages = server.stdout.filter((line) => line.includes('notifications/message'));
  assert.equal(messages.length, count);
  server.closeInput();
  assert.deepEqual(await server.ended, { code: 0, signal: null });
});

test('a notice that nobody reads ends the server with success', async (t) => {
  const { cli, project, createEnding } = createMcpRig(t);
  const server = startBare(t, cli, [...openPolicy, '--workdir', project]);
  const ending = createEnding(0);
  server.send(initializeMessage);
  await server.answer(1);
  server.send(exec(2, { command: ending.command, background: true }));
  await server.answer(2);
  server.closeOutput();
  // The pipe shows that it is closed at a write, and nothing but the notice is written.
  ending.letGo();
  assert.deepEqual(await server.ended, { code: 0, signal: null });
  assert.deepEqual(await cli.live(), []);
});

test('after kill -9 the next server tells of what goes on, and of what ended while there was none', async (t) => {
  const rig = createMcpRig(t);
  const first = await rig.connect({ era: 'legacy' });
  const [later, meanwhile, elsewhere] = [
    rig.createEnding(6),
    rig.createEnding(7),
    rig.createEnding(8),
  ];
  const start = async (command: string) => {
    const { data } = await first.call('exec', { command, background: true });
    return { runId: String(data['runId']), pid: Number(data['pid']) };
  };
  const { runId: laterId } = await start(later.command);
  const { runId: meanwhileId, pid } = await start(meanwhile.command);
  process.kill(first.pid, 'SIGKILL');
  await first.client.close();
  const others = await rig.cli.clf('exec', '--background', '--', 'sh', '-c', elsewhere.command);
  assert.equal(others.code, 0, others.stderr);
  meanwhile.letGo();
  // Looked at without a command of ours, which would hear of it and write it down.
  while (!isGone(pid)) await nextTurn();

  const second = await rig.connect({ era: 'legacy' });
  const heard = hearMessages(second);
  const { data } = await second.call('exec', { command: 'true' });
  later.letGo();
  elsewhere.letGo();
  const notice = await heard.of(laterId);
  assert.equal((notice['data'] as { code: number }).code, 6);
  const named = (data['ended'] ?? []) as { runId: string; code: number }[];
  const next = await second.call('exec', { command: 'true' });
  named.push(...((next.data['ended'] ?? []) as { runId: string; code: number }[]));
  assert.deepEqual(
    named.map(({ runId, code }) => `${runId} ${code}`).toSorted(),
    [`${meanwhileId} 7`, `${laterId} 6`].toSorted(),
    'and nothing of what a person runs',
  );
});

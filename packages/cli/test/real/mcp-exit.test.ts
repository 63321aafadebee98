/*
 * `clf mcp` tells of the end of background runs: nobody polls here, in any revision of the protocol.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hearMessages, hearUpdates } from '@clawdfather/testkit';
import { createMcpRig, eras } from '../support/mcp-rig.ts';

interface Ended {
  readonly runId: string;
  readonly code?: number;
}

function endedOf(data: Readonly<Record<string, unknown>>): readonly Ended[] {
  return (data['ended'] ?? []) as readonly Ended[];
}

const uriOf = (runId: string): string => `clawdfather://runs/${runId}`;

for (const revision of ['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
  test(`${revision}: the end of a background run is sent, once, and named by the next result, once`, async (t) => {
    const rig = createMcpRig(t);
    const agent = await rig.connect({ revision });
    assert.equal(agent.client.getNegotiatedProtocolVersion(), revision);
    const heard = hearMessages(agent);
    const ending = rig.createEnding(3);
    const started = await agent.call('exec', { command: ending.command, background: true });
    const runId = String(started.data['runId']);
    ending.letGo();
    const { level, logger, data } = await heard.of(runId);
    assert.deepEqual([level, logger], ['warning', 'clawdfather']);
    const { cursor, durationMs, ...rest } = data as Record<string, unknown>;
    assert.deepEqual(rest, { event: 'exit', runId, reason: 'exit', code: 3 });
    assert.equal(typeof cursor, 'string');
    assert.ok(Number(durationMs) > 0);

    const next = await agent.call('exec', { command: 'echo hi' });
    assert.equal(next.data['output'], 'hi\n');
    assert.deepEqual(
      endedOf(next.data).map((one) => [one.runId, one.code]),
      [[runId, 3]],
    );
    assert.match(next.blocks[1] ?? '', new RegExp(`^Ended in .*\n${runId}  exit code 3 after `));
    const after = await agent.call('exec', { command: 'echo hi' });
    assert.deepEqual([after.blocks.length, endedOf(after.data)], [1, []]);
    assert.equal(heard.all.length, 1);
  });
}

test('2025-11-25: a success is information; the client says from which level on it hears', async (t) => {
  const rig = createMcpRig(t);
  const agent = await rig.connect({ revision: '2025-11-25' });
  const heard = hearMessages(agent);
  const [first, second, third] = [0, 0, 1].map((code) => rig.createEnding(code));
  const start = async (command = ''): Promise<string> => {
    // Long enough to have yielded, instead of having been asked to.
    const { data } = await agent.call('exec', { command, yieldMs: 10 });
    assert.equal(data['status'], 'running');
    return String(data['runId']);
  };
  const ids = [
    await start(first?.command),
    await start(second?.command),
    await start(third?.command),
  ];
  first?.letGo();
  assert.equal((await heard.of(ids[0] ?? ''))['level'], 'info');
  await agent.client.setLoggingLevel('warning');
  second?.letGo();
  third?.letGo();
  await heard.of(ids[2] ?? '');
  const named: string[] = [];
  while (named.length < 3) {
    const { data } = await agent.call('exec', { command: 'true' });
    named.push(...endedOf(data).map(({ runId }) => runId));
  }
  assert.deepEqual(named.toSorted(), ids.toSorted());
  assert.equal(heard.all.length, 2);
});

test('2026-07-28: a client that listens to a run is sent its end, which can be read', async (t) => {
  const rig = createMcpRig(t);
  const agent = await rig.connect();
  const heard = hearUpdates(agent);
  const ending = rig.createEnding(4);
  const started = await agent.call('exec', { command: ending.command, background: true });
  const runId = String(started.data['runId']);
  const uri = uriOf(runId);
  const subscription = await agent.client.listen({ resourceSubscriptions: [uri] });
  ending.letGo();
  const update = await heard.of(runId);
  assert.equal(update['uri'], uri);
  const { 'clawdfather/exit': exit } = update['_meta'] as Record<string, Record<string, unknown>>;
  assert.deepEqual([exit?.['runId'], exit?.['code']], [runId, 4]);
  const { contents } = await agent.client.readResource({ uri });
  const [read] = contents as { text: string }[];
  const state = JSON.parse(read?.text ?? '') as Record<string, unknown>;
  assert.deepEqual([state['status'], state['exitCode']], ['completed', 4]);
  const next = await agent.call('exec', { command: 'true' });
  assert.deepEqual(endedOf(next.data), [], 'reading it was being told');
  assert.equal(heard.all.length, 1);
  await subscription.close();

  const { resources } = await agent.client.listResources();
  assert.ok(resources.some((one) => one.uri === uri));
  await assert.rejects(agent.client.readResource({ uri: uriOf('nobody') }), /not found/i);
});

test('2026-07-28: who listens after the end is sent it at once; also of a run of another agent', async (t) => {
  const rig = createMcpRig(t);
  const other = await rig.connect({ name: 'other' });
  const agent = await rig.connect();
  const heard = hearUpdates(agent);
  const ending = rig.createEnding(0);
  const started = await other.call('exec', { command: ending.command, background: true });
  const runId = String(started.data['runId']);
  ending.letGo();
  const told = await other.call('process', { action: 'poll', runId, waitMs: 30_000 });
  assert.equal(told.data['status'], 'completed');
  await agent.client.listen({ resourceSubscriptions: [uriOf(runId), 'clawdfather://runs/nobody'] });
  assert.equal((await heard.of(runId))['uri'], uriOf(runId));
  assert.equal(heard.all.length, 1);
});

test('2026-07-28: who does not listen learns it from the next result, even one that waited in the foreground', async (t) => {
  const rig = createMcpRig(t);
  const agent = await rig.connect();
  const [background, foreground] = [rig.createEnding(5), rig.createEnding(0)];
  const started = await agent.call('exec', { command: background.command, background: true });
  const runId = String(started.data['runId']);
  const waiting = agent.call('exec', { command: foreground.command, yieldMs: 120_000 });
  background.letGo();
  while ((await rig.cli.live()).includes(runId));
  foreground.letGo();
  const { data, blocks } = await waiting;
  assert.equal(data['exitCode'], 0);
  assert.deepEqual(
    endedOf(data).map((one) => [one.runId, one.code]),
    [[runId, 5]],
  );
  assert.match(blocks[1] ?? '', /exit code 5/);
  const failed = await agent.call('process', { action: 'poll', runId: 'nobody' });
  assert.deepEqual([failed.isError, failed.blocks.length], [true, 1]);
});

for (const era of eras) {
  test(`${era}: what a poll, a kill or a removal has told is not told again`, async (t) => {
    const rig = createMcpRig(t);
    const agent = await rig.connect({ era });
    const heard = era === 'legacy' ? hearMessages(agent) : hearUpdates(agent);
    const start = async (command: string): Promise<string> => {
      const { data } = await agent.call('exec', { command, background: true });
      const runId = String(data['runId']);
      if (era === 'modern') await agent.client.listen({ resourceSubscriptions: [uriOf(runId)] });
      return runId;
    };
    const ending = rig.createEnding(0);
    const polled = await start(ending.command);
    const poll = agent.call('process', {
      action: 'poll',
      runId: polled.slice(0, 8),
      waitMs: 30_000,
    });
    // The server answers in order, so by now it is at the poll; before that an end would be news.
    await agent.call('process', { action: 'list', state: 'running' });
    ending.letGo();
    assert.equal((await poll).data['status'], 'completed');

    const killed = await start('sleep 1000');
    await agent.call('process', { action: 'kill', runId: killed });
    const removed = await start('sleep 1000');
    await agent.call('process', { action: 'remove', runId: removed });
    const next = await agent.call('exec', { command: 'true' });
    assert.deepEqual([next.blocks.length, endedOf(next.data)], [1, []]);
    // Whatever had been on its way came before this answer.
    await agent.call('process', { action: 'list', state: 'running' });
    assert.deepEqual(heard.all, []);
  });
}

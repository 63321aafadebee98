/*
 * `clf queue` against a real gateway: what waits behind an agent that works, moved, said otherwise, and taken out.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cliShapes } from '@clawdfather/protocol';
import { expectInitialize, expectNew, gate, onPrompt, say, script } from '@clawdfather/testkit';
import { createAgentRig } from '../support/agent-rig.ts';

test('what waits is listed with its reason, moved, edited and cancelled', async (t) => {
  const rig = await createAgentRig(
    t,
    script([expectInitialize(), expectNew(), onPrompt([say('one'), gate('never')])]),
  );
  const empty = await rig.clf('queue');
  assert.equal(empty.code, 0, empty.stderr);
  assert.match(empty.stdout, /^LANE +RUNNING +WAITING/);
  assert.match(empty.stdout, /this gateway +0 of 20 +0 of 500/);
  assert.match(empty.stdout, /Nothing of yours waits/);

  const asked = await rig.clf('ask', '-d', '--json', 'count');
  const { threadId } = cliShapes.asked.parse(JSON.parse(asked.stdout));
  await rig.gate('never').reached();
  for (const text of ['first', 'second', 'third']) {
    assert.equal((await rig.clf('say', '-d', threadId, text)).code, 0);
  }
  const read = async () =>
    cliShapes.queue.parse(JSON.parse((await rig.clf('queue', '--json')).stdout));
  const { waiting, lanes, total } = await read();
  assert.equal(total, 3);
  assert.deepEqual(
    waiting.map(({ position }) => position),
    [1, 2, 3],
  );
  assert.ok(waiting.every(({ reason }) => reason?.code === 'thread-busy'));
  assert.deepEqual(
    lanes.map(({ lane, active }) => [lane, active]),
    [
      ['agent', 1],
      ['account', 1],
      ['gateway', 1],
    ],
  );
  const page = (await rig.clf('queue')).stdout;
  assert.match(page, /# +TURN +THREAD +AGENT +WAITED +REASON +TITLE/);
  assert.match(page, /the agent still works on an earlier message +count\n/);

  const [first, second, third] = waiting.map(({ turnId }) => turnId) as [string, string, string];
  const moved = await rig.clf('queue', 'mv', '--json', third, '--first');
  assert.equal(cliShapes['queued-turn'].parse(JSON.parse(moved.stdout)).position, 1);
  assert.equal((await rig.clf('queue', 'mv', second, '--before', first)).code, 0);
  assert.equal((await rig.clf('queue', 'mv', third, '--last')).code, 0);
  const order = (await rig.clf('queue', 'ls', '-q')).stdout.trim().split('\n');
  assert.deepEqual(order, [second, first, third]);
  const unclear = await rig.clf('queue', 'mv', first);
  assert.equal(unclear.code, 125);
  assert.match(unclear.stderr, /--before TURN, --first and --last/);

  assert.equal((await rig.clf('queue', 'edit', first, 'something else')).code, 0);
  const cancelled = await rig.clf('queue', 'cancel', '--json', second, third);
  for (const line of cancelled.stdout.trim().split('\n')) {
    cliShapes['cancelled-turns'].parse(JSON.parse(line));
  }
  assert.deepEqual(
    (await read()).waiting.map(({ turnId }) => turnId),
    [first],
  );
  const missing = await rig.clf('queue', 'cancel', second);
  assert.match(missing.stderr, /no turn that waits is called/);
});

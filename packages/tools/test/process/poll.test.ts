/*
 * process poll: unread output first, woken by the journal, nothing lost, nothing repeated that was acknowledged.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ProcessParams, processResultSchema } from '@clawdfather/protocol';
import { clock, openToolsRig } from '../support/tools-rig.ts';

test('an unknown run fails at once, with a near miss among the visible ones', async (t) => {
  const rig = await openToolsRig(t);
  const run = await rig.exec({ command: 'true' });
  assert.ok(run.status === 'completed');
  const misspelt = `${run.runId.slice(0, -1)}${run.runId.endsWith('z') ? 'y' : 'z'}`;
  await assert.rejects(
    rig.process({ action: 'poll', runId: misspelt, waitMs: 30_000 }),
    (error) => {
      assert.ok(error instanceof Error && 'code' in error && 'detail' in error);
      assert.equal(error.code, 'unknown-run');
      assert.equal((error.detail as { nearest?: string }).nearest, run.runId);
      return true;
    },
  );
});

test('runs of another account do not exist, for any action and as a suggestion', async (t) => {
  const rig = await openToolsRig(t);
  const { runId } = await rig.start({ command: 'sleep 300', pty: true });
  const stranger = { account: 'stranger' };
  const listed = await rig.process({ action: 'list' }, stranger);
  assert.deepEqual(listed.runs, []);
  const actions: readonly ProcessParams[] = [
    { action: 'poll', runId },
    { action: 'poll', runId: runId.slice(0, 8) },
    { action: 'log', runId },
    { action: 'screen', runId },
    { action: 'write', runId, data: 'x' },
    { action: 'send-keys', runId, keys: ['C-c'] },
    { action: 'submit', runId },
    { action: 'paste', runId, text: 'x' },
    { action: 'resize', runId, cols: 80, rows: 24 },
    { action: 'signal', runId, signal: 'KILL' },
    { action: 'kill', runId },
    { action: 'clear', runId },
    { action: 'remove', runId },
  ];
  for (const params of actions) {
    await assert.rejects(rig.tools.process(params, rig.call(stranger)), (error) => {
      assert.ok(error instanceof Error && 'code' in error && 'detail' in error);
      assert.equal(error.code, 'unknown-run', params.action);
      assert.equal((error.detail as { nearest?: string }).nearest, undefined);
      return true;
    });
  }
  const own = await rig.process<'poll'>({ action: 'poll', runId: runId.slice(0, 8) });
  assert.equal(own.status, 'running', 'a unique beginning is enough for the owner');
  await rig.process({ action: 'remove', runId });
});

test('it waits for output and returns with it; the end is learned the same way', async (t) => {
  const rig = await openToolsRig(t);
  const { runId, cursor } = await rig.start({
    command: 'read line; echo "got $line"; read rest; exit 4',
  });
  const polled = rig.process<'poll'>({ action: 'poll', runId, cursor, waitMs: 30_000 });
  await rig.process({ action: 'write', runId, data: 'one\n' });
  const first = await polled;
  assert.ok(first.status === 'running' && first.output === 'got one\n', JSON.stringify(first));
  assert.deepEqual(processResultSchema.parse(first), first);
  const ending = rig.process<'poll'>({
    action: 'poll',
    runId,
    cursor: first.cursor,
    waitMs: 30_000,
  });
  await rig.process({ action: 'write', runId, eof: true });
  const end = await ending;
  assert.ok(end.status === 'completed' && end.exitCode === 4 && end.output === '');
});

test('unread output comes again until its cursor is handed back', async (t) => {
  const rig = await openToolsRig(t);
  const { runId } = await rig.start({ command: 'echo one; read x; echo two; read x' });
  const { cursor } = await rig.untilSaid(runId, 'one\n');
  const again = await rig.process<'poll'>({ action: 'poll', runId }, { sessionId: 'another' });
  assert.ok(again.status === 'running' && again.output === 'one\n');
  await rig.process({ action: 'submit', runId });
  const two = await rig.process<'poll'>({ action: 'poll', runId, cursor, waitMs: 30_000 });
  assert.ok(two.status === 'running' && two.output === 'two\n');
  const unacknowledged = await rig.process<'poll'>({ action: 'poll', runId });
  assert.ok(unacknowledged.status === 'running');
  assert.equal(unacknowledged.output, 'two\n', 'without a cursor: from the last one handed back');
  await rig.process({ action: 'submit', runId });
  const end = await rig.process<'poll'>({
    action: 'poll',
    runId,
    cursor: two.cursor,
    waitMs: 30_000,
  });
  assert.equal(end.status, 'completed');
});

test('an aborted poll loses nothing', async (t) => {
  const rig = await openToolsRig(t);
  const { runId, cursor } = await rig.start({ command: 'read x; echo said; read x' });
  const aborter = new AbortController();
  const polled = rig.process<'poll'>(
    { action: 'poll', runId, cursor, waitMs: 30_000 },
    { signal: aborter.signal },
  );
  aborter.abort(new Error('gone'));
  await assert.rejects(polled, /gone/);
  await rig.process({ action: 'submit', runId });
  const next = await rig.process<'poll'>({ action: 'poll', runId, cursor, waitMs: 30_000 });
  assert.ok(next.status === 'running' && next.output === 'said\n');
  await rig.process({ action: 'kill', runId });
});

test('two readers each hear everything', async (t) => {
  const rig = await openToolsRig(t);
  const { runId } = await rig.start({
    command: 'for i in 1 2 3 4 5 6 7 8 9 10; do echo $i; sleep 0.01; done',
  });
  const ends = await Promise.all([rig.untilEnded(runId), rig.untilEnded(runId)]);
  for (const end of ends) assert.equal(end.output, '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n');
});

test('the pauses it suggests grow while nothing happens, and start over on output', async (t) => {
  const rig = await openToolsRig(t);
  const { runId, cursor } = await rig.start({ command: 'read x; echo said; read x' });
  const pauses: (number | undefined)[] = [];
  for (let count = 0; count < 5; count += 1) {
    const polled = await rig.process<'poll'>({ action: 'poll', runId, cursor });
    assert.ok(polled.status === 'running');
    pauses.push(polled.retryInMs);
  }
  assert.deepEqual(pauses, [5_000, 10_000, 30_000, 60_000, 60_000]);
  await rig.process({ action: 'submit', runId });
  const said = await rig.untilSaid(runId, 'said');
  const silent = await rig.process<'poll'>({ action: 'poll', runId, cursor: said.cursor });
  assert.ok(silent.status === 'running');
  assert.equal(silent.retryInMs, 5_000);
  await rig.process({ action: 'kill', runId });
});

test('a cursor that is none is refused, and moves nothing', async (t) => {
  const rig = await openToolsRig(t);
  const run = await rig.exec({ command: 'echo one' });
  assert.ok(run.status === 'completed');
  for (const cursor of ['nonsense', '0', '1.1']) {
    const params = { action: 'poll', runId: run.runId, cursor } as const;
    await assert.rejects(rig.process(params), { code: 'cursor-invalid' }, cursor);
  }
  const polled = await rig.process<'poll'>({ action: 'poll', runId: run.runId });
  assert.ok(polled.status === 'completed' && polled.output === 'one\n');
});

test('characters and sequences are never cut by a cursor', async (t) => {
  const rig = await openToolsRig(t);
  const steps = [
    "printf 'a\\303'",
    "printf '\\251b\\033[3'",
    "printf '1mc\\033]0;title'",
    "printf '\\007d\\r'",
    "printf '\\ne\\n'",
  ];
  const { runId } = await rig.start({ command: steps.join('; read x; ') });
  let output = '';
  let cursor: string | undefined;
  for (let step = 0; step < steps.length; ) {
    const polled = await rig.process<'poll'>({
      action: 'poll',
      runId,
      waitMs: 300,
      ...(cursor === undefined ? {} : { cursor }),
    });
    assert.ok('output' in polled);
    output += polled.output;
    cursor = polled.cursor;
    if (polled.status !== 'running') break;
    if (polled.output !== '') continue;
    await rig.process({ action: 'submit', runId });
    step += 1;
  }
  assert.equal(output, 'aébcd\ne\n');
});

test('it is woken by the journal: a poll that waits costs no looking', async (t) => {
  let timers = 0;
  const rig = await openToolsRig(t, {
    clock: {
      ...clock,
      timer: (ms, fire) => {
        timers += 1;
        return clock.timer(ms, fire);
      },
      sleep: (ms, signal) => {
        timers += 1;
        return clock.sleep(ms, signal);
      },
    },
  });
  const { runId, cursor } = await rig.start({ command: 'read x; echo said; read x' });
  timers = 0;
  const polled = rig.process<'poll'>({ action: 'poll', runId, cursor, waitMs: 30_000 });
  await clock.sleep(600);
  assert.equal(timers, 1, 'one for its limit, none for ticking');
  await rig.process({ action: 'submit', runId });
  assert.equal((await polled).status, 'running');
  await rig.process({ action: 'kill', runId });
});

test('it says that a run waits for input when it is seen reading', async (t) => {
  const rig = await openToolsRig(t);
  const gate = join(rig.scratchDir, 'gate');
  const reading = [
    { command: "printf 'Name: '; read name" },
    { command: "printf 'Name: '; read name", pty: true },
    { command: "printf 'Name: '; cat | sort" },
    { command: "PS1='Name: ' bash --norc -i", pty: true },
  ];
  for (const params of reading) {
    const { runId } = await rig.start(params);
    const { cursor } = await rig.untilSaid(runId, 'Name: ');
    let isWaiting = false;
    for (let look = 0; look < 200 && !isWaiting; look += 1) {
      const polled = await rig.process<'poll'>({ action: 'poll', runId, cursor, waitMs: 20 });
      assert.ok(polled.status === 'running');
      isWaiting = polled.waitingForInput;
    }
    assert.ok(isWaiting, JSON.stringify(params));
    await rig.process({ action: 'kill', runId, graceMs: 200 });
  }
  const busy = [
    { command: `until [ -e ${gate} ]; do :; done` },
    { command: `sleep 300`, pty: true },
    { command: 'sleep 300' },
  ];
  for (const params of busy) {
    const { runId } = await rig.start(params);
    for (let look = 0; look < 10; look += 1) {
      const polled = await rig.process<'poll'>({ action: 'poll', runId, waitMs: 20 });
      assert.ok(polled.status === 'running' && !polled.waitingForInput, JSON.stringify(params));
    }
    await rig.process({ action: 'kill', runId, graceMs: 100 });
  }
  writeFileSync(gate, '');
});

test('15 s of silence with an open input mean waiting; a closed input never does', async (t) => {
  let aheadMs = 0;
  const rig = await openToolsRig(t, {
    clock: { ...clock, wallMs: () => clock.wallMs() + aheadMs },
  });
  const open = await rig.start({ command: 'sleep 300' });
  const closed = await rig.start({ command: 'sleep 300', eof: true });
  const isWaiting = async (runId: string): Promise<boolean> => {
    const polled = await rig.process<'poll'>({ action: 'poll', runId });
    assert.ok(polled.status === 'running');
    return polled.waitingForInput;
  };
  assert.deepEqual([await isWaiting(open.runId), await isWaiting(closed.runId)], [false, false]);
  aheadMs = 15_000;
  assert.deepEqual([await isWaiting(open.runId), await isWaiting(closed.runId)], [true, false]);
  for (const { runId } of [open, closed]) await rig.process({ action: 'kill', runId });
});

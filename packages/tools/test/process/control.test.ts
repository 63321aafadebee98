/*
 * What can be done to a run: listed, looked at, resized, signalled, ended, put away.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processResultSchema } from '@clawdfather/protocol';
import type { RunId } from '@clawdfather/supervisor';
import { isAlive, openToolsRig } from '../support/tools-rig.ts';

test('list shows what runs and what has finished, newest first, and says when there is more', async (t) => {
  const rig = await openToolsRig(t);
  await rig.exec({ command: 'exit 2' });
  const { runId, pid } = await rig.start({ command: 'sleep 300', pty: true });
  const all = await rig.process({ action: 'list' });
  assert.deepEqual(processResultSchema.parse(all), all);
  assert.deepEqual(
    all.runs.map(({ state, pty, exitCode, host }) => ({ state, pty, exitCode, host })),
    [
      { state: 'running', pty: true, exitCode: undefined, host: 'local' },
      { state: 'exited', pty: false, exitCode: 2, host: 'local' },
    ],
  );
  const running = await rig.process({ action: 'list', state: 'running' });
  assert.deepEqual(
    running.runs.map((run) => [run.runId, run.pid]),
    [[runId, pid]],
  );
  const finished = await rig.process({ action: 'list', state: 'finished' });
  assert.equal(finished.runs.length, 1);
  const first = await rig.process({ action: 'list', limit: 1 });
  assert.deepEqual([first.runs.length, first.isMore, all.isMore], [1, true, false]);
  await rig.process({ action: 'remove', runId });
});

test('screen shows what a person would see, during the run and after it', async (t) => {
  const rig = await openToolsRig(t);
  const command = "printf '\\033[2J\\033[3;5Hhere\\033]0;my title\\007'; read x";
  const { runId } = await rig.start({ command, pty: true, cols: 20, rows: 5 });
  await rig.untilSaid(runId, 'here');
  const screen = await rig.process({ action: 'screen', runId });
  assert.deepEqual(processResultSchema.parse(screen), screen);
  assert.deepEqual(
    [screen.cols, screen.rows, screen.lines, screen.title, screen.isRunning],
    [20, 5, ['', '', '    here', '', ''], 'my title', true],
  );
  assert.deepEqual(screen.cursor, { row: 2, column: 8, isVisible: true });
  await rig.process({ action: 'submit', runId });
  await rig.untilEnded(runId);
  const after = await rig.process({ action: 'screen', runId });
  assert.equal(after.isRunning, false);
  assert.equal(after.lines[2], '    here');
});

test('a resize is seen by the program and on the screen', async (t) => {
  const rig = await openToolsRig(t);
  const command = "trap 'stty size' WINCH; echo ready; while :; do sleep 0.01; done";
  const { runId } = await rig.start({ command, pty: true });
  await rig.untilSaid(runId, 'ready');
  await rig.process({ action: 'resize', runId, cols: 100, rows: 40 });
  await rig.untilSaid(runId, '40 100');
  const screen = await rig.process({ action: 'screen', runId });
  assert.deepEqual([screen.cols, screen.rows], [100, 40]);
  await rig.process({ action: 'kill', runId, graceMs: 100 });
  const pipes = await rig.start({ command: 'sleep 300' });
  const params = { action: 'resize', runId: pipes.runId, cols: 80, rows: 24 } as const;
  await assert.rejects(rig.process(params), { code: 'no-terminal' });
  await rig.process({ action: 'kill', runId: pipes.runId });
});

test('a signal reaches the command; its name is checked', async (t) => {
  const rig = await openToolsRig(t);
  const command = "trap 'echo caught; exit 7' USR1; echo ready; while :; do sleep 0.01; done";
  for (const pty of [false, true]) {
    const { runId } = await rig.start({ command, pty });
    await rig.untilSaid(runId, 'ready');
    const params = { action: 'signal', runId, signal: 'SIGUSR9' } as const;
    await assert.rejects(rig.process(params), { code: 'signal-unknown' });
    const sent = await rig.process({ action: 'signal', runId, signal: 'usr1' });
    assert.equal(sent.signal, 'SIGUSR1');
    const end = await rig.untilEnded(runId);
    assert.ok(end.status === 'completed' && end.exitCode === 7);
  }
});

test('kill ends the whole tree and records why and who', async (t) => {
  const rig = await openToolsRig(t);
  const command = 'sleep 300 & (setsid sleep 300 &) ; (trap "" TERM; echo ready; sleep 300) ; wait';
  const { runId } = await rig.start({ command });
  await rig.untilSaid(runId, 'ready');
  const killed = await rig.process({ action: 'kill', runId, graceMs: 200 }, { requester: 'cli' });
  assert.deepEqual(processResultSchema.parse(killed), killed);
  assert.deepEqual([killed.isGone, killed.survivors, killed.reason], [true, [], 'manual-cancel']);
  await rig.until(() => rig.processes().length <= 1, 'more than spawnd is left');
  const polled = await rig.process<'poll'>({ action: 'poll', runId });
  assert.ok(polled.status === 'failed' && polled.kind === 'manual-cancel');
  assert.match(polled.message, /cli/);
  const again = await rig.process({ action: 'kill', runId });
  assert.equal(again.reason, 'manual-cancel', 'killing what is dead changes nothing');
});

test('kill of a finished run ends what it left behind', async (t) => {
  const rig = await openToolsRig(t);
  const run = await rig.exec({ command: 'sleep 300 & echo $!' });
  assert.ok(run.status === 'completed');
  const pid = Number(run.output);
  assert.ok(isAlive(pid));
  const { runId } = run;
  const listed = await rig.process({ action: 'list' });
  assert.equal(listed.runs[0]?.leftovers, 1);
  await assert.rejects(rig.process({ action: 'clear', runId }), { code: 'run-running' });
  const killed = await rig.process({ action: 'kill', runId });
  assert.ok(killed.isGone && !isAlive(pid));
  assert.equal(killed.exitCode, 0, 'how the command ended stands');
  await rig.until(
    () => rig.supervisor.get(runId as RunId)?.treeEndedAtMs !== undefined,
    'recorded',
  );
  const polled = await rig.process<'poll'>({ action: 'poll', runId });
  assert.ok(polled.status === 'completed');
  assert.deepEqual(polled.leftovers, [], 'what is gone is not said to be left');
});

test('clear puts a finished run away, remove ends it first', async (t) => {
  const rig = await openToolsRig(t);
  const { runId, pid } = await rig.start({ command: 'sleep 300' });
  await assert.rejects(rig.process({ action: 'clear', runId }), { code: 'run-running' });
  const removed = await rig.process({ action: 'remove', runId });
  assert.ok(removed.isGone && pid !== undefined && !isAlive(pid));
  await assert.rejects(rig.process({ action: 'poll', runId }), { code: 'unknown-run' });
  const run = await rig.exec({ command: 'true' });
  assert.ok(run.status === 'completed');
  await rig.process({ action: 'clear', runId: run.runId });
  assert.deepEqual((await rig.process({ action: 'list' })).runs, []);
  await assert.rejects(rig.process({ action: 'clear', runId: run.runId }), { code: 'unknown-run' });
});

test('several runs that begin alike are told apart', async (t) => {
  const rig = await openToolsRig(t);
  const seen = new Map<string, string>();
  let prefix: string | undefined;
  while (prefix === undefined) {
    const run = await rig.exec({ command: 'true' });
    assert.ok(run.status === 'completed');
    const [letter = ''] = run.runId;
    if (seen.has(letter)) prefix = letter;
    seen.set(letter, run.runId);
  }
  await assert.rejects(rig.process({ action: 'poll', runId: prefix }), { code: 'run-ambiguous' });
});

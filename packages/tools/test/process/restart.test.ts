/*
 * The process that holds the tools goes away and another one comes: the same run ids, cursors and ends.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSupervisor } from '@clawdfather/supervisor';
import { clock, openToolsRig } from '../support/tools-rig.ts';

test('a run goes on under the next one, with the same id, cursor and exit code', async (t) => {
  const rig = await openToolsRig(t);
  const gate = join(rig.scratchDir, 'gate');
  const command = `echo before; until [ -e ${gate} ]; do sleep 0.01; done; echo after; read x; exit 9`;
  const { runId } = await rig.start({ command });
  const { cursor } = await rig.untilSaid(runId, 'before\n');
  await rig.restart();
  writeFileSync(gate, '');
  const after = await rig.process<'poll'>({ action: 'poll', runId, cursor, waitMs: 30_000 });
  assert.ok(after.status === 'running' && after.output === 'after\n', JSON.stringify(after));
  await rig.restart();
  await rig.process({ action: 'submit', runId });
  const end = await rig.process<'poll'>({
    action: 'poll',
    runId,
    cursor: after.cursor,
    waitMs: 30_000,
  });
  assert.ok(end.status === 'completed' && end.exitCode === 9 && end.output === '');
  await rig.restart();
  const whole = await rig.process<'poll'>({ action: 'poll', runId });
  assert.ok(whole.status === 'completed' && whole.exitCode === 9);
  assert.equal(whole.output, 'before\nafter\n');
});

test('what ended while nobody was there is told with its output', async (t) => {
  const rig = await openToolsRig(t);
  const run = await rig.start({ command: 'echo alone; exit 5' });
  await rig.restart();
  const end = await rig.untilEnded(run.runId, run.cursor);
  assert.ok(end.status === 'completed');
  assert.deepEqual([end.exitCode, end.output], [5, 'alone\n']);
});

test('a run whose owner came and went is heard to its end, and looked after', async (t) => {
  const rig = await openToolsRig(t);
  const passer = await createSupervisor({ stateDir: rig.stateDir, launcher: 'direct' });
  const run = await passer.spawn({
    mode: 'child',
    argv: ['/bin/sh', '-c', 'echo one; read x; echo two; exit 6'],
    cwd: rig.scratchDir,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    sessionId: 'session',
    backendId: 'exec',
    labels: { account: 'account', requester: 'cli', host: 'local' },
    overallTimeoutMs: 60_000,
    leftovers: 'keep',
  });
  const { runId } = run;
  await passer.close();
  await rig.untilSaid(runId, 'one\n');
  await rig.process({ action: 'submit', runId });
  const end = await rig.untilEnded(runId);
  assert.ok(end.status === 'completed' && end.exitCode === 6 && end.output === 'one\ntwo\n');
  const at = await rig.process<'poll'>({ action: 'poll', runId });
  assert.equal(at.status, 'completed', 'also for a poll that does not wait');
  for (;;) {
    const { runs } = await rig.process({ action: 'list' });
    if (runs[0]?.state === 'exited') break;
    await clock.sleep(20);
  }
});

/* Asks where the cursor is, and reads the answer as bytes. */
const askCursor = "printf '\\033[6n'; dd bs=1 count=6 2>/dev/null | od -An -c";

test('queries of a terminal run are answered while no terminal is attached', async (t) => {
  const rig = await openToolsRig(t);
  const run = await rig.exec({
    command: `stty raw -echo; printf 'abc'; ${askCursor}`,
    pty: true,
    yieldMs: 30_000,
  });
  assert.ok(run.status === 'completed', JSON.stringify(run));
  assert.match(run.output, /033\s+\[\s+1\s+;\s+4\s+R/);
});

test('after a restart the adopted run is answered, and what was asked before is not answered again', async (t) => {
  const rig = await openToolsRig(t);
  const command = `stty raw -echo; ${askCursor}; printf ready; dd bs=1 count=1 2>/dev/null; printf '\\033[H'; ${askCursor}; printf done; exec od -An -tx1 -v -w1`;
  const { runId } = await rig.start({ command, pty: true });
  await rig.untilSaid(runId, 'ready');
  await rig.restart();
  await rig.process({ action: 'screen', runId });
  await rig.process({ action: 'log', runId });
  await rig.process({ action: 'write', runId, data: 'x' });
  const { output } = await rig.untilSaid(runId, 'done');
  assert.equal(output.match(/033/g)?.length, 2, 'one answer for each question');
  await rig.process({ action: 'send-keys', runId, keys: ['C-q'] });
  const rest = await rig.untilSaid(runId, ' 11');
  assert.match(rest.output.replace(/^[^]*done/, ''), /^\s*11\s*$/, 'nothing but our key');
  await rig.process({ action: 'kill', runId });
});

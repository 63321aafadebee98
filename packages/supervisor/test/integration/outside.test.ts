/*
 * E6: the promise covers descendants. Work that a command hands to a server which is nobody's descendant, a tmux server
 * that was there before, say, is outside it: it is neither counted nor ended, and that is documented.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { isAlive } from './process-table.ts';
import { createRig } from './rig.ts';

test('E6: what a run hands to an existing tmux server is left alone', async (t) => {
  const rig = createRig(t);
  const env = {
    PATH: process.env['PATH'] ?? '',
    TMUX_TMPDIR: rig.scratchDir,
    HOME: rig.scratchDir,
  };
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-L', 'outside', '-f', '/dev/null', ...args], { env, encoding: 'utf8' });
  tmux('new-session', '-d', '-s', 'before', 'sleep 300');
  try {
    const supervisor = await rig.supervisor();
    const script = "tmux -L outside new-session -d -s handed 'sleep 300'; echo handed; sleep 300";
    const run = await supervisor.spawn(rig.sh(script, { env }));
    for await (const event of run.output()) if (event.kind === 'output') break;
    const handed = Number(tmux('display-message', '-p', '-t', 'handed', '#{pane_pid}'));
    assert.ok(isAlive(handed));

    await run.cancel();
    const exit = await run.wait();
    assert.equal(exit.reason, 'manual-cancel');
    assert.deepEqual(exit.survivors, []);
    assert.ok(isAlive(handed), 'it belongs to the server, not to the run');
  } finally {
    tmux('kill-server');
  }
});

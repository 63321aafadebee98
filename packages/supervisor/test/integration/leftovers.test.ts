/*
 * Programs in daily use that exit 0 and leave something running: `git commit` with a gc due, `ssh-agent`, `tmux new -d`
 * (T4). Under each policy the root's exit code stands, and what is left is ended, reported, or kept and owned.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ChildInput, LeftoversPolicy } from '@clawdfather/supervisor';
import { assertRecorded, createRig, type Rig, runIdOf } from './rig.ts';
import { isAlive, statusOf } from './process-table.ts';

interface Leaver {
  readonly name: string;
  readonly program: string;
  readonly prepare?: (dir: string) => void;
  readonly argv: ChildInput['argv'];
  readonly env?: (dir: string) => Record<string, string>;
}

const leavers: readonly Leaver[] = [
  { name: 'ssh-agent', program: 'ssh-agent', argv: ['ssh-agent', '-a', './agent'] },
  {
    name: 'tmux new -d',
    program: 'tmux',
    argv: ['tmux', '-L', 'leftovers', '-f', '/dev/null', 'new-session', '-d', 'sleep 300'],
    env: (dir) => ({ TMUX_TMPDIR: dir, HOME: dir }),
  },
  {
    name: 'git commit with a gc due',
    program: 'git',
    prepare: prepareRepository,
    argv: ['git', 'commit', '--quiet', '--message', 'the one that is too many'],
    env: (dir) => ({ HOME: dir }),
  },
];

for (const leaver of leavers) {
  const isThere = statusOf('which', leaver.program) === 0;
  const skip = isThere ? false : `there is no ${leaver.program} here`;
  for (const leftovers of ['fail', 'end', 'keep'] as const) {
    test(`T4: ${leaver.name} under "${leftovers}"`, { skip }, async (t) => {
      await assertPolicy(createRig(t), leaver, leftovers);
    });
  }
}

async function assertPolicy(rig: Rig, leaver: Leaver, leftovers: LeftoversPolicy): Promise<void> {
  leaver.prepare?.(rig.scratchDir);
  const supervisor = await rig.supervisor();
  const env = leaver.env?.(rig.scratchDir) ?? {};
  const run = await supervisor.spawn(rig.child(leaver.argv, { leftovers, env, graceMs: 500 }));
  const exit = await run.wait();
  assert.equal(exit.code, 0, "the root's exit code stands");
  assert.equal(exit.reason, leftovers === 'fail' ? 'ownership-escape' : 'exit');
  assert.ok(exit.leftovers.length > 0, 'what was left is listed');
  assertRecorded(supervisor, exit);
  const pids = exit.leftovers.map(({ pid }) => pid);
  if (leftovers !== 'keep') {
    assert.deepEqual(pids.filter(isAlive), []);
    assert.equal(supervisor.get(run.runId)?.treeEndedAtMs, exit.treeEnd?.endedAtMs);
    assert.ok((exit.treeEnd?.endedAtMs ?? 0) >= exit.endedAtMs);
    return;
  }
  assert.ok(pids.some(isAlive), 'it goes on');
  assert.equal(supervisor.get(run.runId)?.treeEndedAtMs, undefined);
  const ended = rig.events.until('end');
  const askedAtMs = Date.now();
  await run.cancel('manual-cancel', 'ann');
  await ended;
  assert.deepEqual(pids.filter(isAlive), []);
  const treeEnd = await run.waitTree();
  assert.deepEqual([treeEnd?.reason, treeEnd?.actor], ['manual-cancel', 'ann']);
  assert.equal(treeEnd?.killed.pid, pids.length, 'so many were ended');
  assert.ok(treeEnd.endedAtMs >= askedAtMs, 'and not with the command');
  await rig.until(
    () => supervisor.get(run.runId)?.treeEndedAtMs === treeEnd.endedAtMs,
    'its end is recorded',
  );
  assertRecorded(supervisor, { ...exit, treeEnd });
}

test('T4: leftovers that end by themselves are recorded with their own time and nobody as the cause', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const script = '(while [ ! -e go ]; do sleep 0.01; done) & exit 0';
  const run = await supervisor.spawn(rig.sh(script, { leftovers: 'keep' }));
  const exit = await run.wait();
  assert.equal(exit.treeEnd, undefined);
  const goneAfterMs = Date.now();
  writeFileSync(join(rig.scratchDir, 'go'), '');
  const treeEnd = await run.waitTree();
  assert.deepEqual([treeEnd?.actor, treeEnd?.killed.pid], [undefined, 0]);
  assert.ok((treeEnd?.endedAtMs ?? 0) >= goneAfterMs);
});

test('T4: a run of no owner has the end of what it left from its journal', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const asked = rig.sh('sleep 300 & exit 0', { leftovers: 'keep', runId: 'left' });
  const { runId } = await owner.call('spawn', asked);
  await owner.call('wait', runId);
  await owner.kill();
  const looking = await rig.supervisor({ launcher: 'direct' });
  const run = await looking.attach(runIdOf(runId));
  await run.cancel('manual-cancel', 'ann');
  const treeEnd = await run.waitTree();
  assert.deepEqual([treeEnd?.actor, treeEnd?.killed.pid], ['ann', 1]);
  await looking.reconcile();
  const record = looking.get(runIdOf(runId));
  assert.deepEqual([record?.exit?.treeEnd, record?.treeEndedAtMs], [treeEnd, treeEnd?.endedAtMs]);
  assert.deepEqual([record?.exit?.reason, record?.exit?.actor], ['exit', undefined]);
});

/*
 * A repository in which the next commit starts a gc that takes long: git looks only at objects whose name begins with
 * 17, and comparing many large files that resemble each other is slow.
 */
function prepareRepository(dir: string): void {
  const env = { ...process.env, HOME: dir };
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', [...args], { cwd: dir, env, stdio: 'pipe' });
  git('init', '--quiet');
  const settings = {
    'user.name': 'Somebody',
    'user.email': 'somebody@example.org',
    'gc.auto': '1',
    'gc.autoDetach': 'true',
    'pack.window': '1000',
    'pack.threads': '1',
    'core.compression': '0',
  };
  for (const [name, value] of Object.entries(settings)) git('config', name, value);
  for (let index = 0, found = 0; found < 3; index += 1) {
    const text = `small ${index}\n`;
    const hash = createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex');
    if (!hash.startsWith('17')) continue;
    writeFileSync(join(dir, `small-${found}`), text);
    found += 1;
  }
  for (let index = 0; index < 200; index += 1) {
    const lines = Array.from(
      { length: 8_000 },
      (_, line) => `${(line * 7919 * (index + 3)) % 10_007}`,
    );
    writeFileSync(join(dir, `large-${index}`), lines.join('\n'));
  }
  git('add', '.');
}

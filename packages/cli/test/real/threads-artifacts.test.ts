/*
 * `clf threads artifacts` and `clf threads download` against a real gateway: what is listed, what is saved, and what is not.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cliShapes } from '@clawdfather/protocol';
import { endTurn, expectInitialize, expectNew, onPrompt, say, script } from '@clawdfather/testkit';
import { createAgentRig } from '../support/agent-rig.ts';

test('files of a turn are listed and saved, checked, and never over others or elsewhere', {
  timeout: 120_000,
}, async (t) => {
  const rig = await createAgentRig(
    t,
    script([expectInitialize(), expectNew(), onPrompt([say('done'), endTurn()])]),
  );
  const home = rig.env['HOME'] ?? '';
  const project = join(home, 'project');
  mkdirSync(join(project, 'reports/deep'), { recursive: true });
  writeFileSync(join(project, 'reports/a.txt'), 'first');
  writeFileSync(join(project, 'reports/deep/b.txt'), 'second'.repeat(400_000));
  symlinkSync('/etc/passwd', join(project, 'reports/link'));
  const asked = await rig.clf('ask', '--json', '-C', project, 'build it');
  assert.equal(asked.code, 0, asked.stderr);
  const { threadId, turnId } = JSON.parse(asked.stdout.split('\n')[0] ?? '');
  const read = async () => {
    for (;;) {
      const { stdout } = await rig.clf('threads', 'artifacts', '--json', threadId);
      const found = cliShapes['turn-artifacts'].parse(JSON.parse(stdout));
      if (found.artifactSync.status !== 'syncing') return found;
    }
  };
  const { artifacts, artifactSync } = await read();
  assert.deepEqual(
    artifacts.map(({ relativePath }) => relativePath),
    ['reports/a.txt', 'reports/deep/b.txt'],
  );
  assert.equal(artifactSync.status, 'partial');
  const listed = await rig.clf('threads', 'artifacts', turnId);
  assert.match(listed.stdout, /reports\/a\.txt +(?:new|unchanged) +5 ?B/);
  assert.match(listed.stderr, /not kept: reports\/link \(symlink\)/);

  const output = join(home, 'results');
  const saved = await rig.clf('threads', 'download', '--json', threadId, '-o', output);
  assert.equal(saved.code, 0, saved.stderr);
  for (const line of saved.stdout.trim().split('\n')) {
    cliShapes['saved-artifact'].parse(JSON.parse(line));
  }
  assert.equal(readFileSync(join(output, 'reports/a.txt'), 'utf8'), 'first');
  assert.equal(readFileSync(join(output, 'reports/deep/b.txt'), 'utf8').length, 2_400_000);

  const again = await rig.clf('threads', 'download', turnId, 'reports/a.txt', '-o', output);
  assert.notEqual(again.code, 0);
  assert.match(again.stderr, /is there already/);
  writeFileSync(join(output, 'reports/a.txt'), 'changed here');
  const forced = await rig.clf(
    'threads',
    'download',
    turnId,
    'reports/a.txt',
    '-o',
    output,
    '--force',
  );
  assert.equal(forced.code, 0, forced.stderr);
  assert.equal(readFileSync(join(output, 'reports/a.txt'), 'utf8'), 'first');

  // A link in the tree does not lead the file out of it.
  const outside = join(home, 'outside');
  const trap = join(home, 'trap');
  mkdirSync(outside);
  mkdirSync(trap);
  symlinkSync(outside, join(trap, 'reports'));
  const refused = await rig.clf('threads', 'download', turnId, '-o', trap);
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /in the way/);
  const unknown = await rig.clf('threads', 'download', turnId, 'none', '-o', output);
  assert.match(unknown.stderr, /has left no file "none"/);
});

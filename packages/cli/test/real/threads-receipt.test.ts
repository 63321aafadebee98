/*
 * `clf threads receipt` and `clf threads changes` against a real gateway: what happened while nobody looked, over a restart.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cliShapes } from '@clawdfather/protocol';
import {
  endTurn,
  expectInitialize,
  expectNew,
  onPrompt,
  say,
  script,
  toolCall,
} from '@clawdfather/testkit';
import { createAgentRig } from '../support/agent-rig.ts';

/* More than a page has. */
const longLines = 900;

test('what happened is told and proven, and what was changed is shown', {
  timeout: 120_000,
}, async (t) => {
  const long = Array.from({ length: longLines }, (_, index) => `line ${index}`).join('\n');
  const content = [
    { type: 'diff', path: 'a.txt', oldText: 'one\ntwo\n', newText: 'one\n2\u202e\n' },
    { type: 'diff', path: 'long.txt', newText: `${long}\n` },
    { type: 'diff', path: 'b.bin', oldText: '', newText: 'a\u0000b' },
  ];
  const rig = await createAgentRig(
    t,
    script([
      expectInitialize(),
      expectNew(),
      onPrompt([say('nothing to do'), endTurn()]),
      onPrompt([toolCall('edit', 'Edit', { status: 'completed', content }), say('ok'), endTurn()]),
    ]),
  );
  const project = join(rig.env['HOME'] ?? '', 'project');
  mkdirSync(project);
  const asked = await rig.clf('ask', '--json', '-C', project, 'look');
  assert.equal(asked.code, 0, asked.stderr);
  const { threadId, turnId } = JSON.parse(asked.stdout.split('\n')[0] ?? '');

  const empty = await rig.clf('threads', 'changes', threadId);
  assert.match(empty.stdout, /^No files changed in this turn/);
  const said = await rig.clf('say', '--json', threadId, 'change it');
  assert.equal(said.code, 0, said.stderr);

  const diff = await rig.clf('threads', 'changes', threadId);
  assert.equal(diff.code, 0, diff.stderr);
  assert.match(
    diff.stdout,
    /^--- a\/?.*a\.txt\n\+\+\+ .*a\.txt\n@@ -1,2 \+1,2 @@\n one\n-two\n\+2\\u202e\n/,
  );
  assert.match(diff.stdout, /--- \/dev\/null\n\+\+\+ b\/long\.txt\n@@ -0,0 \+1,900 @@\n\+line 0\n/);
  assert.match(diff.stdout, /\+line 899\n/);
  assert.match(diff.stdout, /Binary file b\.bin changed/);
  const stat = await rig.clf('threads', 'changes', '--stat', threadId);
  assert.match(stat.stdout, /\+900 +−0 +new +long\.txt\n/);
  const json = await rig.clf('threads', 'changes', '--json', threadId);
  const changes = cliShapes['turn-changes'].parse(JSON.parse(json.stdout));
  assert.equal(changes.files[1]?.hunks?.[0]?.lines.length, longLines);
  const first = await rig.clf('threads', 'changes', '--json', turnId);
  assert.deepEqual(cliShapes['turn-changes'].parse(JSON.parse(first.stdout)).files, []);

  await rig.killGateway();
  await rig.serveAgain();
  const read = async (...more: readonly string[]) => {
    const { stdout, stderr, code } = await rig.clf('threads', 'receipt', threadId, ...more);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const receipt = cliShapes['thread-receipt'].parse(
    JSON.parse(await read('--since', '1', '--json')),
  );
  assert.equal(receipt.isProven, true);
  assert.equal(receipt.parts[0]?.checksum, receipt.parts[0]?.computed);
  assert.equal(receipt.events, receipt.through - 1);
  assert.deepEqual(
    receipt.turns.map(({ status }) => status),
    ['completed', 'completed'],
  );
  assert.equal(receipt.gateways[0]?.starts, 1);
  const text = await read();
  assert.match(text, /^Since {6}.*(?:seen|beginning)/m);
  assert.match(text, /^Events {5}\d+, .*: all received ✓$/m);
  assert.match(text, /^Files {6}3 changed, \+901 −1/m);
  assert.match(text, /^Now {8}ready$/m);
  const later = await rig.clf('threads', 'receipt', threadId, '--since', '100000');
  assert.match(later.stderr, /there is no event 100000 yet/);
});

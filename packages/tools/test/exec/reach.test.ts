/*
 * Commands that the starter list lets through, and the same commands after a person was asked.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfinementSupport, type RunId, shimBinaryPath } from '@clawdfather/supervisor';
import { allowAll, openToolsRig } from '../support/tools-rig.ts';

const { landlock, why } = await readConfinementSupport(shimBinaryPath());
const skip = landlock === 0 && `no Landlock here: ${why}`;

test('what a person allowed reads everything; what nobody was asked about reads the working tree', {
  skip,
}, async (t) => {
  const rig = await openToolsRig(t, { hasApprovals: true });
  const outside = mkdtempSync(join(tmpdir(), 'clf-outside-'));
  t.after(() => rmSync(outside, { recursive: true }));
  const secret = join(outside, 'secret');
  writeFileSync(secret, 'canary\n');
  writeFileSync(join(rig.scratchDir, 'mine'), 'mine\n');

  const mine = await rig.exec({ argv: ['cat', 'mine'] });
  assert.ok(mine.status === 'completed' && mine.output === 'mine\n', JSON.stringify(mine));
  assert.deepEqual(mine.notes, []);
  const refused = await rig.exec({ argv: ['cat', secret] });
  assert.ok(refused.status === 'completed', JSON.stringify(refused));
  assert.equal(refused.exitCode, 1);
  assert.doesNotMatch(refused.output, /canary/);
  assert.match(refused.notes.join(), /only the working tree/);
  assert.equal(rig.supervisor.get(refused.runId as RunId)?.labels['reads'], 'working-tree');

  const nothing = await rig.exec({ argv: ['grep', 'canary', 'mine'] });
  assert.ok(nothing.status === 'completed' && nothing.exitCode === 1, JSON.stringify(nothing));
  assert.deepEqual(nothing.notes, [], 'nobody refused it anything');

  const asked = await rig.exec({ argv: ['cat', secret], ask: 'always' });
  assert.ok(asked.status === 'approval-pending', JSON.stringify(asked));
  await rig.decide(asked.approvalId, 'allow-once');
  const end = await rig.untilEnded(asked.runId);
  assert.equal(end.output, 'canary\n');
  assert.deepEqual(end.notes, []);
});

test('a run that cannot be confined to its tree does not start', async (t) => {
  const rig = await openToolsRig(t);
  const tree = join(rig.scratchDir, 'tree');
  mkdirSync(tree);
  const grants = [
    { path: join(rig.scratchDir, 'gone'), access: 'read', isOptional: false },
  ] as const;
  const check = async () =>
    ({ kind: 'allowed', rule: 'test', rules: [], confine: { grants } }) as const;
  await rig.restart({ gatekeeper: { ...allowAll, check } });
  const result = await rig.exec({ argv: ['touch', join(tree, 'made')] });
  assert.ok(result.status === 'failed', JSON.stringify(result));
  assert.equal(result.kind, 'spawn-error');
});

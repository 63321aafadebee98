/*
 * As whom a command runs is asked when it is asked for, and again when it starts; a host that is not this machine is asked nothing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LocalUsers, ownUserOnly, ToolsError } from '../../src/index.ts';
import { hashAction } from '../../src/approvals/action-hash.ts';
import { openToolsRig } from '../support/tools-rig.ts';

const refusal = (account: string) =>
  new ToolsError('account-not-local', `${account} is not from here`);

test('a program without accounts of its own starts for its machine alone', () => {
  assert.deepEqual([ownUserOnly.of('local'), ownUserOnly.of('cli')], [undefined, undefined]);
  assert.throws(() => ownUserOnly.of('0123456789abcdef'), { code: 'account-not-local' });
});

test('an account that runs nothing here is refused before anything is asked or recorded', async (t) => {
  const asked: string[] = [];
  const users: LocalUsers = {
    of: (account) => {
      asked.push(account);
      throw refusal(account);
    },
  };
  const rig = await openToolsRig(t, { users, hasApprovals: true });
  for (const params of [
    { command: 'true' },
    { argv: ['touch', 'x'] },
    { command: 'tty', pty: true },
  ]) {
    await assert.rejects(rig.exec(params), { code: 'account-not-local' });
  }
  assert.equal(asked.length, 3);
  assert.deepEqual((await rig.process({ action: 'list' })).runs, []);
});

test('A4: the rule of the moment of the start counts, not that of the request', async (t) => {
  let mayRun = true;
  const users: LocalUsers = {
    of: (account) => {
      if (!mayRun) throw refusal(account);
      return undefined;
    },
  };
  const rig = await openToolsRig(t, { users, hasApprovals: true });
  const held = await rig.exec({ argv: ['touch', 'made'] });
  assert.ok(held.status === 'approval-pending');
  mayRun = false;
  const outcome = await rig.decide(held.approvalId, 'allow-once');
  assert.ok(outcome.kind === 'decided');
  await assert.rejects(rig.tools.startHeld(outcome.record), { code: 'account-not-local' });
  assert.equal(rig.supervisor.list().length, 0);
});

test('A4: an approval is bound to the user; without one its hash is what it was', () => {
  const action = {
    command: { kind: 'argv', argv: ['true'] },
    cwd: '/',
    envAdditions: {},
    host: 'local',
    account: 'a',
  } as const;
  const bound = { runId: 'r', request: '{}', searchPath: '/bin' };
  const hashes = [action, { ...action, runAs: 'ann' }, { ...action, runAs: 'bob' }].map((one) =>
    hashAction({ action: one, ...bound }),
  );
  assert.equal(new Set(hashes).size, 3);
  assert.equal(hashAction({ action: { ...action, runAs: undefined }, ...bound }), hashes[0]);
});

test('what runs as another user has no working tree of ours: it is asked about before it reads', async (t) => {
  const ann = { name: 'ann', uid: 7_001, gid: 7_001, groups: [], home: '/', shell: '/bin/sh' };
  const users: LocalUsers = { of: () => ({ ...ann, temporaryDirectory: '/nonexistent' }) };
  const rig = await openToolsRig(t, { users, hasApprovals: true });
  const { directory: _session, ...call } = rig.call();
  const held = await rig.tools.exec({ argv: ['cat', 'x'], workdir: rig.scratchDir }, call);
  assert.ok(held.status === 'approval-pending', JSON.stringify(held));
  const outcome = await rig.decide(held.approvalId, 'deny');
  assert.ok(outcome.kind === 'decided');
  assert.match(outcome.record.why, /there is no working tree/);
});

/*
 * Approvals in the registry: a held run starts exactly when it is allowed, and once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RulePage } from '../../src/registry/allow-rules.ts';
import type { ApprovalFilter, ApprovalMoment, NewApproval } from '../../src/registry/approvals.ts';
import { exitOf, newRunOf } from '../records.ts';
import { finishRun, openRig, startRun } from './registry-rig.ts';

const body = { action: '{"a":"ä"}', request: '{}', searchPath: '/usr/bin', binding: '{"b":1}' };
/* Nothing of `approvalOf` has lapsed then. */
const now: ApprovalMoment = { bootId: 'boot', bootMs: 1, wallMs: 1 };

const approvalOf = (parts: Partial<NewApproval> = {}): NewApproval => ({
  approvalId: 'approval-1',
  runId: 'run-1',
  actionHash: 'hash',
  askedHash: 'asked',
  account: 'local',
  host: 'local',
  cwd: '/tmp',
  command: '{}',
  labels: {},
  body,
  requester: 'mcp:test',
  requesterMarks: '[]',
  why: 'because',
  bootId: 'boot',
  lapsesBootMs: 1_000.5,
  createdAtMs: 1,
  expiresAtMs: 2,
  ...parts,
});

test('what was stored is read again, by id, by run and in lists', async (t) => {
  const { registry, openAnother } = await openRig(t);
  await registry.write((tx) => tx.insertApproval(approvalOf()));
  await registry.write((tx) =>
    tx.insertApproval(approvalOf({ approvalId: 'other', runId: 'run-2' })),
  );
  const another = await openAnother();
  const stored = another.approval('approval-1', now);
  const { body: _body, ...facts } = approvalOf();
  assert.deepEqual(stored, {
    ...facts,
    state: 'pending',
    isLapsed: false,
    bodyBytes: 27,
    decision: undefined,
    decidedBy: undefined,
    decidedAtMs: undefined,
    decisionReason: undefined,
    changed: undefined,
    askedAgainAs: undefined,
    startedAtMs: undefined,
    toldState: 'pending',
  });
  assert.deepEqual(another.approvalOfRun('run-1', now), stored);
  assert.deepEqual(another.approvalBody('approval-1'), body);
  const ids = (filter: ApprovalFilter, limit = 10, offset = 0): readonly string[] =>
    another.approvals({ ...filter, limit, offset }, now).map(({ approvalId }) => approvalId);
  assert.deepEqual(ids({}), ['other', 'approval-1']);
  assert.deepEqual(ids({ idPrefix: 'app' }), ['approval-1']);
  assert.deepEqual(ids({ runIdPrefix: 'run-2' }), ['other']);
  assert.deepEqual(ids({ states: ['allowed', 'denied'] }), []);
  assert.deepEqual(ids({ accounts: ['local'] }, 1), ['other']);
  assert.deepEqual(ids({ accounts: ['local', 'cli'] }, 1, 1), ['approval-1']);
  assert.deepEqual(ids({ accounts: ['cli'] }), []);
  assert.deepEqual(ids({ accounts: [] }), []);
});

test('a run id is reserved once', async (t) => {
  const { registry } = await openRig(t);
  const insert = (parts: Partial<NewApproval>): Promise<string> =>
    registry.write((tx) => tx.insertApproval(approvalOf(parts)));
  assert.equal(await insert({}), 'inserted');
  assert.equal(await insert({ approvalId: 'another' }), 'exists');
  assert.equal(await insert({ runId: 'another' }), 'exists');
});

test('a change says from which state, and of two only one is made', async (t) => {
  const { registry, openAnother } = await openRig(t);
  const another = await openAnother();
  await registry.write((tx) => tx.insertApproval(approvalOf()));
  const outcomes = await Promise.all([
    registry.write((tx) =>
      tx.changeApproval('approval-1', 'pending', { state: 'allowed', decidedBy: 'one' }),
    ),
    another.write((tx) =>
      tx.changeApproval('approval-1', 'pending', { state: 'denied', decidedBy: 'other' }),
    ),
  ]);
  assert.deepEqual(outcomes.filter(Boolean), [true]);
  const stored = registry.approval('approval-1', now);
  assert.equal(stored?.decidedBy, outcomes[0] ? 'one' : 'other');
});

for (const state of ['pending', 'denied', 'expired'] as const) {
  test(`a run whose approval is ${state} cannot be recorded`, async (t) => {
    const { registry, openOwner } = await openRig(t);
    const owner = await openOwner();
    await registry.write((tx) => {
      tx.insertApproval(approvalOf());
      if (state !== 'pending') tx.changeApproval('approval-1', 'pending', { state });
    });
    const start = registry.write((tx) => tx.insertStarting(newRunOf('run-1'), owner));
    await assert.rejects(start, { code: 'run-held' });
    assert.equal(registry.get('run-1'), undefined);
    assert.equal(registry.approval('approval-1', now)?.state, state);
  });
}

test('A2: recording an allowed run uses its approval up, and spawning it again is the same run', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  await registry.write((tx) => {
    tx.insertApproval(approvalOf());
    tx.changeApproval('approval-1', 'pending', { state: 'allowed' });
  });
  const start = (): Promise<string> =>
    registry.write((tx) => tx.insertStarting(newRunOf('run-1'), owner));
  assert.equal(await start(), 'inserted');
  const stored = registry.approval('approval-1', now);
  assert.equal(stored?.state, 'started');
  assert.equal(typeof stored?.startedAtMs, 'number');
  assert.equal(await start(), 'exists');
});

test('a run that failed to be recorded leaves its approval unused', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  await registry.write((tx) => {
    tx.insertApproval(approvalOf());
    tx.changeApproval('approval-1', 'pending', { state: 'allowed' });
  });
  const failing = registry.write((tx) => {
    tx.insertStarting(newRunOf('run-1'), owner);
    throw new Error('the disk is full');
  });
  await assert.rejects(failing, { message: 'the disk is full' });
  assert.equal(registry.approval('approval-1', now)?.state, 'allowed');
});

test('A2: once its run is forgotten, a used approval starts nothing', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  const run = newRunOf('run-1');
  const key = { runId: run.runId, epoch: 1 };
  await registry.write((tx) => {
    tx.insertApproval(approvalOf());
    tx.changeApproval('approval-1', 'pending', { state: 'allowed' });
    tx.insertStarting(run, owner);
    const exit = exitOf({ runId: run.runId });
    tx.finalise(key, { exit, isTreeGone: true, journalBytes: 0, lastOutputAtMs: undefined });
    tx.deleteRun(key);
  });
  assert.equal(registry.get('run-1'), undefined);
  const again = registry.write((tx) => tx.insertStarting(newRunOf('run-1'), owner));
  await assert.rejects(again, { code: 'run-held' });
});

test('only what is over and old is forgotten', async (t) => {
  const { registry } = await openRig(t);
  await registry.write((tx) => {
    for (const name of ['old-pending', 'old-denied', 'new-denied']) {
      const createdAtMs = name.startsWith('old') ? 1 : 100;
      tx.insertApproval(approvalOf({ approvalId: name, runId: name, createdAtMs }));
      if (name.endsWith('denied')) tx.changeApproval(name, 'pending', { state: 'denied' });
    }
    tx.forgetApprovals({ createdBeforeMs: 50, account: 'local', keptMax: 10 });
  });
  assert.deepEqual(
    registry.approvals({ limit: 10 }, now).map(({ approvalId }) => approvalId),
    ['new-denied', 'old-pending'],
  );
});

test('rules are kept by account, and the same one twice is one', async (t) => {
  const { registry } = await openRig(t);
  const rule = {
    ruleId: 'rule-1',
    account: 'local',
    namedPath: '/usr/bin/make',
    realPath: '/usr/bin/make',
    approvalId: 'approval-1',
    addedBy: 'cli:ann',
    addedAtMs: 1,
  };
  await registry.write((tx) => {
    tx.insertAllowRule(rule);
    tx.insertAllowRule({ ...rule, ruleId: 'rule-2', addedBy: 'cli:bob' });
  });
  assert.deepEqual(registry.allowRules('local'), [{ ...rule, ...unused }]);
  assert.deepEqual(registry.allowRules('other'), []);
});

const unused = {
  usedCount: 0,
  lastUsedAtMs: undefined,
  revokedBy: undefined,
  revokedAtMs: undefined,
};

test('a rule counts the runs that it let start, until it is revoked; then it may be made anew', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  const add = (ruleId: string, namedPath: string): Promise<void> =>
    registry.write((tx) =>
      tx.insertAllowRule({
        ruleId,
        account: 'local',
        namedPath,
        realPath: namedPath,
        approvalId: 'approval-1',
        addedBy: 'cli:ann',
        addedAtMs: 1,
      }),
    );
  const start = (runId: string, allowedBy: string, backendId = 'exec'): Promise<string> =>
    registry.write((tx) =>
      tx.insertStarting(newRunOf(runId, { backendId, labels: { allowedBy } }), owner),
    );
  const uses = (ruleId: string): number | undefined => registry.allowRule(ruleId)?.usedCount;
  await add('one', '/usr/bin/make');
  await add('two', '/usr/bin/npm');
  await start('run-1', 'rule:one,rule:two');
  await start('run-2', 'rule:two');
  await start('run-2', 'rule:two');
  // Labels of a person's own run may say anything.
  await start('run-3', 'rule:one', 'cli');
  await start('run-4', 'approval:one');
  await start('run-5', '"],rule:on');
  assert.deepEqual([uses('one'), uses('two')], [1, 2]);
  assert.equal(registry.allowRule('one')?.lastUsedAtMs, registry.get('run-1')?.createdAtMs);
  const revoke = (): Promise<boolean> => registry.write((tx) => tx.revokeRule('one', 'cli:bob', 5));
  assert.deepEqual([await revoke(), await revoke()], [true, false]);
  assert.deepEqual(
    registry.allowRules('local').map(({ ruleId }) => ruleId),
    ['two'],
  );
  assert.deepEqual(
    registry
      .untoldRules(9)
      .map(({ ruleId, revokedBy, revokedAtMs }) => [ruleId, revokedBy, revokedAtMs]),
    [['one', 'cli:bob', 5]],
  );
  await registry.write((tx) => tx.tellRule('one'));
  assert.deepEqual(registry.untoldRules(9), []);
  await add('three', '/usr/bin/make');
  const ids = (page: Partial<RulePage>): readonly string[] =>
    registry.rules({ limit: 9, ...page }).map(({ ruleId }) => ruleId);
  assert.deepEqual(ids({}), ['three', 'two']);
  assert.deepEqual(ids({ isRevokedToo: true }), ['three', 'two', 'one']);
  assert.deepEqual(ids({ isRevokedToo: true, limit: 1, offset: 1 }), ['two']);
  assert.deepEqual(ids({ idPrefix: 't' }), ['three', 'two']);
  assert.deepEqual(ids({ idPrefix: 'th' }), ['three']);
  assert.deepEqual(ids({ accounts: ['other'] }), []);
  assert.deepEqual(ids({ approvalId: 'other' }), []);
  assert.equal(registry.countRules({ accounts: ['local', 'other'] }), 2);
  await registry.write((tx) => tx.forgetRules(6));
  assert.equal(registry.allowRule('one'), undefined);
});

test('a decision and the start after it are untold until each is told', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  const untold = (): readonly string[] =>
    registry.untoldApprovals(9, now).map(({ approvalId, state }) => `${approvalId} ${state}`);
  await registry.write((tx) => {
    tx.insertApproval(approvalOf());
    tx.insertApproval(approvalOf({ approvalId: 'approval-2', runId: 'run-2' }));
  });
  assert.deepEqual(untold(), []);
  await registry.write((tx) => {
    tx.changeApproval('approval-1', 'pending', { state: 'allowed', decision: 'allow-once' });
    tx.changeApproval('approval-2', 'pending', { state: 'denied', decision: 'deny' });
  });
  assert.deepEqual(untold(), ['approval-1 allowed', 'approval-2 denied']);
  await registry.write((tx) => {
    tx.tellApproval('approval-1', 'allowed');
    tx.tellApproval('approval-2', 'denied');
  });
  assert.deepEqual(untold(), []);
  await registry.write((tx) => tx.insertStarting(newRunOf('run-1'), owner));
  assert.deepEqual(untold(), ['approval-1 started']);
  await registry.write((tx) => tx.tellApproval('approval-1', 'started'));
  assert.deepEqual(untold(), []);
});

test('the run of a shim is known as long as something of it lives', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  const runId = await startRun(registry, owner, newRunOf('run-1'));
  const { shimPid = 0, shimStartTicks = 0 } = registry.get('run-1') ?? {};
  const shim = { pid: shimPid, startTicks: shimStartTicks };
  assert.equal(registry.runOfShim(shim)?.runId, 'run-1');
  assert.equal(registry.runOfShim({ ...shim, startTicks: shimStartTicks + 1 }), undefined);
  await finishRun(registry, runId);
  assert.equal(registry.runOfShim(shim), undefined);
});

test('A2, A6: what has ended as changed is not started, whoever tries, and one end wins', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  const change = { state: 'changed', changed: 'x has changed', askedAgainAs: 'next' } as const;
  await registry.write((tx) => {
    tx.insertApproval(approvalOf());
    assert.equal(tx.changeApproval('approval-1', 'allowed', change), false, 'only from allowed');
    tx.changeApproval('approval-1', 'pending', { state: 'allowed', decidedBy: 'cli:ann' });
    assert.equal(tx.changeApproval('approval-1', 'allowed', change), true);
    assert.equal(tx.changeApproval('approval-1', 'allowed', change), false, 'once');
  });
  await assert.rejects(startRun(registry, owner, newRunOf('run-1')), { code: 'run-held' });
  const stored = registry.approval('approval-1', now);
  assert.deepEqual(
    [stored?.state, stored?.changed, stored?.askedAgainAs, stored?.decidedBy],
    ['changed', 'x has changed', 'next', 'cli:ann'],
  );
  assert.equal(registry.approvalBody('approval-1'), undefined);
  assert.deepEqual(registry.waitingApprovals(), { count: 0, bytes: 0 });
  assert.equal(registry.countApprovals({ states: ['changed'] }, now), 1);
  // The other way round: started first.
  await registry.write((tx) => {
    tx.insertApproval(approvalOf({ approvalId: 'approval-2', runId: 'run-2' }));
    tx.changeApproval('approval-2', 'pending', { state: 'allowed' });
  });
  await startRun(registry, owner, newRunOf('run-2'));
  await registry.write((tx) =>
    assert.equal(tx.changeApproval('approval-2', 'allowed', change), false),
  );
  await registry.write((tx) =>
    tx.forgetApprovals({ createdBeforeMs: 0, account: 'local', keptMax: 0 }),
  );
  assert.deepEqual(registry.approvals({ limit: 10 }, now), []);
});

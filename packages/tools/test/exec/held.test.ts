/*
 * Runs that wait for a person's decision, behind the real gatekeeper.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ExecResult } from '@clawdfather/protocol';
import { openApprovals, type RunId } from '@clawdfather/supervisor';
import type { UnaskedStart } from '../../src/context.ts';
import { hashAction } from '../../src/approvals/action-hash.ts';
import { openToolsRig, type ToolsRig } from '../support/tools-rig.ts';

type Pending = Extract<ExecResult, { status: 'approval-pending' }>;

/* Writes to a file, which no allowlist covers; twice would be two lines. */
async function ask(rig: ToolsRig): Promise<Pending & { readonly file: string }> {
  const file = join(rig.scratchDir, 'written');
  const result = await rig.exec({ command: `echo ran >> ${file}; echo done` });
  assert.ok(result.status === 'approval-pending', JSON.stringify(result));
  return { ...result, file };
}

test('what is on the allowlist runs; the rest is held and starts nothing', async (t) => {
  const rig = await openToolsRig(t, { hasApprovals: true, heldIn: '/where/it/waits' });
  const listed = await rig.exec({ command: 'echo fine' });
  assert.ok(listed.status === 'completed', JSON.stringify(listed));
  const held = await ask(rig);
  assert.equal(held.stateDir, '/where/it/waits');
  const polled = await rig.process<'poll'>({ action: 'poll', runId: held.runId, waitMs: 100 });
  // Its limit counts from its start, and is told by whoever starts it.
  const { file: _file, timeoutMs: _limit, ...expected } = held;
  assert.deepEqual(polled, { action: 'poll', ...expected });
  const { runs } = await rig.process({ action: 'list' });
  assert.deepEqual([runs[0]?.runId, runs[0]?.state], [held.runId, 'held']);
  await assert.rejects(rig.tools.process({ action: 'log', runId: held.runId }, rig.call()), {
    code: 'run-held',
  });
  assert.ok(!existsSync(held.file));
});

test('whoever asked may take it back: nobody is asked any more, and it never starts', async (t) => {
  const rig = await openToolsRig(t, { hasApprovals: true });
  for (const action of ['kill', 'remove'] as const) {
    const held = await ask(rig);
    const polled = rig.process<'poll'>({ action: 'poll', runId: held.runId, waitMs: 30_000 });
    const ended = await rig.process<'kill' | 'remove'>({ action, runId: held.runId });
    assert.deepEqual([ended.runId, ended.isGone], [held.runId, true]);
    assert.equal((await polled).status, 'denied', 'whoever waits is told');
    const late = await rig.decide(held.approvalId, 'allow-once');
    assert.equal(late.kind, 'over');
    assert.ok(!existsSync(held.file));
  }
});

test('what is over is found by a unique beginning of its id, as the tool says', async (t) => {
  const rig = await openToolsRig(t, { hasApprovals: true });
  const denied = await ask(rig);
  await rig.decide(denied.approvalId, 'deny');
  const withdrawn = await ask(rig);
  await rig.process({ action: 'kill', runId: withdrawn.runId });
  for (const [{ runId }, cause] of [
    [denied, 'person'],
    [withdrawn, 'withdrawn'],
  ] as const) {
    const found = await rig.process<'poll'>({ action: 'poll', runId: runId.slice(0, 9) });
    assert.ok(found.status === 'denied', JSON.stringify(found));
    assert.deepEqual([found.runId, found.cause], [runId, cause]);
  }
});

test('a program that does not exist is no reason to ask anybody', async (t) => {
  const rig = await openToolsRig(t, { hasApprovals: true });
  const code = 'program-not-found';
  await assert.rejects(rig.exec({ argv: ['ls -la'] }), { code, hint: /each argument is a text/ });
  await assert.rejects(rig.exec({ command: 'lss' }), { code, hint: /nobody was asked/ });
  assert.deepEqual((await rig.process({ action: 'list' })).runs, []);
});

test('a caller can be stricter: denied, or asked about everything', async (t) => {
  const rig = await openToolsRig(t, { hasApprovals: true });
  const denied = await rig.exec({ command: 'echo fine', security: 'deny' });
  assert.deepEqual([denied.status, 'by' in denied && denied.by], ['denied', 'policy']);
  const asked = await rig.exec({ command: 'echo fine', ask: 'always' });
  assert.equal(asked.status, 'approval-pending');
  assert.deepEqual(rig.supervisor.list(), []);
});

test('allowed: it starts without anybody polling, and a poll brings its result', async (t) => {
  const rig = await openToolsRig(t, { hasApprovals: true });
  const held = await ask(rig);
  const outcome = await rig.decide(held.approvalId, 'allow-once');
  assert.equal(outcome.kind, 'decided');
  await rig.until(() => existsSync(held.file), 'it was not started');
  const end = await rig.untilEnded(held.runId);
  assert.deepEqual([end.status, end.output], ['completed', 'done\n']);
});

test('a poll waits for the decision and then for the run', async (t) => {
  const rig = await openToolsRig(t, { hasApprovals: true });
  const held = await ask(rig);
  const polled = rig.process<'poll'>({ action: 'poll', runId: held.runId, waitMs: 30_000 });
  await rig.decide(held.approvalId, 'allow-once');
  const first = await polled;
  assert.ok(first.status === 'running' || first.status === 'completed', JSON.stringify(first));
  const end = await rig.untilEnded(held.runId);
  assert.ok(end.status === 'completed' && end.output === 'done\n');
  assert.equal(readFileSync(held.file, 'utf8'), 'ran\n');
});

test('denied: a poll says so and by whom', async (t) => {
  const rig = await openToolsRig(t, { hasApprovals: true });
  const held = await ask(rig);
  const polled = rig.process<'poll'>({ action: 'poll', runId: held.runId, waitMs: 30_000 });
  await rig.decide(held.approvalId, 'deny');
  const result = await polled;
  assert.ok(result.status === 'denied', JSON.stringify(result));
  assert.deepEqual([result.by, result.runId], ['cli:ann', held.runId]);
  assert.ok(!existsSync(held.file));
});

test('it survives a restart: held before, allowed after, started once', async (t) => {
  const rig = await openToolsRig(t, { hasApprovals: true });
  const held = await ask(rig);
  await rig.restart();
  await rig.decide(held.approvalId, 'allow-once');
  const end = await rig.untilEnded(held.runId);
  assert.equal(end.status, 'completed');
  await rig.restart();
  const again = await rig.untilEnded(held.runId);
  assert.equal(again.output, 'done\n');
  assert.equal(readFileSync(held.file, 'utf8'), 'ran\n');
});

test('an approval starts one run, once, whoever tries and however often', async (t) => {
  const rig = await openToolsRig(t, { hasApprovals: true });
  const held = await ask(rig);
  const outcome = await rig.decide(held.approvalId, 'allow-once');
  assert.ok(outcome.kind === 'decided');
  const approval = outcome.record;
  const start = async (): Promise<void> => {
    await rig.tools.startHeld(approval);
    assert.notEqual(rig.supervisor.get(held.runId as RunId), undefined, 'it has started by then');
  };
  await Promise.all([start(), start(), start()]);
  const end = await rig.untilEnded(held.runId);
  assert.equal(end.status, 'completed');
  await rig.process({ action: 'remove', runId: held.runId });
  await rig.supervisor.gc({ policy: { ageMs: 0, runsMax: 0, bytesMax: 0 } });
  assert.equal(rig.supervisor.get(held.runId as RunId), undefined, 'its record is gone');
  await assert.rejects(rig.tools.startHeld(approval), { code: 'approval-unusable' });
  assert.equal(readFileSync(held.file, 'utf8'), 'ran\n');
});

test('a request that is not the approved action is not started', async (t) => {
  const rig = await openToolsRig(t, { hasApprovals: true });
  const held = await ask(rig);
  const outcome = await rig.decide(held.approvalId, 'allow-once');
  assert.ok(outcome.kind === 'decided');
  await rig.untilEnded(held.runId);
  const { record } = outcome;
  const store = await openApprovals({ stateDir: rig.stateDir });
  const now = { bootId: store.host.bootId, bootMs: store.host.bootMs(), wallMs: 0 };
  const stored = store.approval(record.approvalId, now);
  assert.ok(stored !== undefined);
  const request = (record.request ?? '').replaceAll(record.runId, 'another');
  const forge = (approvalId: string, forged: string): Promise<unknown> =>
    store.write((tx) => {
      const { action } = record;
      const bound = { action, runId: 'another', request: forged, searchPath: '' };
      const body = { action: JSON.stringify(action), request: forged, searchPath: '' };
      const ids = { approvalId, runId: 'another', actionHash: hashAction(bound) };
      tx.insertApproval({ ...stored, ...ids, body });
      tx.changeApproval(approvalId, 'pending', { state: 'allowed' });
    });
  const start = (approvalId: string): Promise<void> =>
    rig.tools.startHeld({ approvalId, runId: 'another' });
  const forgeries = [
    record.request ?? '',
    request.replaceAll('echo done', 'echo evil'),
    'not json',
  ];
  for (const [index, forged] of forgeries.entries()) {
    const approvalId = `forged-${index}`;
    await forge(approvalId, forged);
    await assert.rejects(start(approvalId), { code: 'approval-unusable' });
    assert.equal(rig.supervisor.get('another' as RunId), undefined);
    await store.write((tx) => tx.changeApproval(approvalId, 'allowed', { state: 'denied' }));
    await assert.rejects(start(approvalId), { code: 'approval-unusable' });
    const old = { createdBeforeMs: Number.MAX_SAFE_INTEGER, account: '', keptMax: 0 };
    await store.write((tx) => tx.forgetApprovals(old));
    await assert.rejects(start(approvalId), { code: 'approval-unusable' });
  }
  await store.close();
});

test('what others hold is not visible', async (t) => {
  const rig = await openToolsRig(t, { hasApprovals: true });
  const held = await ask(rig);
  const stranger = { account: 'stranger' };
  await assert.rejects(rig.process({ action: 'poll', runId: held.runId }, stranger), {
    code: 'unknown-run',
  });
  assert.deepEqual((await rig.process({ action: 'list' }, stranger)).runs, []);
});

test('what a command is given to read is a part of what is approved', async (t) => {
  const rig = await openToolsRig(t, { hasApprovals: true });
  const stdin = 'echo from the input\n';
  const held = await rig.exec({ argv: ['/bin/sh'], stdin, eof: true });
  assert.ok(held.status === 'approval-pending', JSON.stringify(held));
  const outcome = await rig.decide(held.approvalId, 'allow-once');
  assert.ok(outcome.kind === 'decided');
  assert.equal(outcome.record.action.stdin, stdin);
  const end = await rig.untilEnded(held.runId);
  assert.deepEqual([end.status, end.output], ['completed', 'from the input\n']);
});

test('what nobody could look through is denied and not stored', async (t) => {
  const rig = await openToolsRig(t, { hasApprovals: true });
  const denied = await rig.exec({ argv: ['/bin/sh'], stdin: '#\n'.repeat(200_000) });
  assert.ok(denied.status === 'denied', JSON.stringify(denied));
  assert.match(denied.rule, /more than a person/);
  assert.deepEqual((await rig.process({ action: 'list' })).runs, []);
  // What needs nobody's look takes as much as ever.
  const listed = await rig.exec({ argv: ['wc', '-l'], stdin: '#\n'.repeat(200_000), eof: true });
  assert.deepEqual([listed.status, 'output' in listed && listed.output], ['completed', '200000\n']);
});

test('a run says what let it start, and whoever starts it hears of it before; of what is held nothing', async (t) => {
  const rig = await openToolsRig(t, { hasApprovals: true });
  const heard: UnaskedStart[] = [];
  const beforeStart = async (start: UnaskedStart): Promise<void> => {
    assert.equal(rig.supervisor.get(start.runId as RunId), undefined);
    heard.push(start);
  };
  const argv = ['/usr/bin/touch', join(rig.scratchDir, 'made')];
  const held = await rig.exec({ argv }, { beforeStart });
  assert.ok(held.status === 'approval-pending');
  assert.deepEqual(heard, []);
  const decided = await rig.decide(held.approvalId, 'allow-always');
  assert.ok(decided.kind === 'decided');
  const ruleId = decided.rules[0]?.ruleId ?? '';
  await rig.untilEnded(held.runId);
  const labelOf = (runId: string) => rig.supervisor.get(runId as RunId)?.labels['allowedBy'];
  assert.equal(labelOf(held.runId), `approval:${held.approvalId}`);
  assert.deepEqual(heard, []);
  const ran = await rig.exec({ argv }, { beforeStart });
  assert.ok(ran.status === 'completed', JSON.stringify(ran));
  assert.equal(labelOf(ran.runId), `rule:${ruleId}`);
  assert.deepEqual(
    heard.map(({ runId, rule, rules }) => [runId, rule, rules]),
    [[ran.runId, 'allowlist: /usr/bin/touch', [ruleId]]],
  );
  const store = await openApprovals({ stateDir: rig.stateDir });
  assert.equal(store.allowRule(ruleId)?.usedCount, 1);
  await store.close();
  const unwritten = { beforeStart: () => Promise.reject(new Error('no room')) };
  await assert.rejects(rig.exec({ command: 'echo' }, unwritten), /no room/);
  assert.equal(rig.supervisor.list().length, 2);
});

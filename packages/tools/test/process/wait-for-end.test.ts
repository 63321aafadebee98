/*
 * Waiting for the end of a run, whoever owns it and whether it has started or not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemRandom, silentLog } from '@clawdfather/kit';
import { createSupervisor } from '@clawdfather/supervisor';
import { createTools } from '../../src/index.ts';
import { allowAll, clock, everybodyAsUs, openToolsRig } from '../support/tools-rig.ts';

test('the end comes with its reason and place; an end that was is told at once', async (t) => {
  const rig = await openToolsRig(t);
  const { runId } = await rig.start({ command: 'read line; echo bye; exit 5', background: true });
  const waiting = rig.tools.waitForEnd(runId, rig.call());
  assert.deepEqual(rig.tools.looksAfter(rig.call().account), [runId]);
  await rig.process({ action: 'write', runId, data: '\n' });
  const end = await waiting;
  assert.ok(end.kind === 'exit');
  assert.deepEqual([end.exit.reason, end.exit.code], ['exit', 5]);
  assert.match(end.command, /echo bye/);
  assert.deepEqual(await rig.tools.waitForEnd(runId, rig.call()), end);
  assert.deepEqual(rig.tools.looksAfter(rig.call().account), []);
});

test('it ends when the caller gives up and when the tools are closed; a stranger has nothing to wait for', async (t) => {
  const rig = await openToolsRig(t);
  const { runId } = await rig.start({ command: 'sleep 300', background: true });
  const controller = new AbortController();
  const given = rig.tools.waitForEnd(runId, rig.call({ signal: controller.signal }));
  controller.abort(new Error('enough'));
  await assert.rejects(given, /enough/);
  await assert.rejects(
    rig.tools.waitForEnd(runId, rig.call({ account: 'stranger' })),
    (error) => error instanceof Error && 'code' in error && error.code === 'unknown-run',
  );
  const waiting = assert.rejects(rig.tools.waitForEnd(runId, rig.call()), /closed/);
  await rig.restart();
  await waiting;
  const again = rig.tools.waitForEnd(runId, rig.call());
  await rig.process({ action: 'kill', runId });
  const end = await again;
  assert.equal(end.kind === 'exit' && end.exit.reason, 'manual-cancel');
});

test('the end of a run that another process owns is heard as well', async (t) => {
  const rig = await openToolsRig(t);
  const { runId } = await rig.start({ command: 'read line; exit 6', background: true });
  const supervisor = await createSupervisor({ stateDir: rig.stateDir, launcher: 'direct' });
  const other = createTools({
    supervisor,
    gatekeeper: allowAll,
    clock,
    random: createSystemRandom(),
    log: silentLog,
    users: everybodyAsUs,
    baseEnvironment: {},
    takesUp: false,
  });
  try {
    assert.deepEqual(other.looksAfter(rig.call().account), []);
    const waiting = other.waitForEnd(runId, rig.call());
    await rig.process({ action: 'write', runId, data: '\n' });
    const end = await waiting;
    assert.equal(end.kind === 'exit' && end.exit.code, 6);
  } finally {
    await other.close();
    await supervisor.close();
  }
});

test('what waits for a person ends with a denial, or with the run that was allowed', async (t) => {
  const rig = await openToolsRig(t, { hasApprovals: true });
  const hold = async (command: string) => {
    const held = await rig.exec({ command });
    assert.ok(held.status === 'approval-pending', JSON.stringify(held));
    return held;
  };
  const denied = await hold('touch never');
  const waiting = rig.tools.waitForEnd(denied.runId, rig.call());
  await rig.decide(denied.approvalId, 'deny');
  const end = await waiting;
  assert.ok(end.kind === 'denied');
  assert.match(end.result.rule, /denied/);
  assert.equal(end.command, 'touch never');

  const allowed = await hold('touch once');
  const started = rig.tools.waitForEnd(allowed.runId, rig.call());
  await rig.decide(allowed.approvalId, 'allow-once');
  const after = await started;
  assert.equal(after.kind === 'exit' && after.exit.code, 0);
});

/*
 * Processes that are stopped and woken again: an owner, spawnd, a shim. None of them does harm when it wakes, and
 * nobody else waits for it for ever (O2, O3, O5, S1, S2).
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hasCode } from '@clawdfather/kit';
import { createRig, type Rig, runIdOf, textOf, untilOutput } from './rig.ts';
import { createHurriedClock } from './hurried-clock.ts';
import { isAlive, isStopped, seeProcess } from './process-table.ts';
import { unclaimedStage } from '../../src/run/records/run-exit.ts';

/* What fifteen seconds without a heartbeat do, at once. */
function expireLeases(rig: Rig): void {
  rig.sql('UPDATE owners SET lease_expires_at_ms = 1');
}

test('O3: an owner that was frozen past its lease wakes up and can do no harm', async (t) => {
  const rig = createRig(t);
  const frozen = await rig.owner();
  const { runId, pid } = await frozen.call(
    'spawn',
    rig.sh('while read line; do echo "got $line"; done'),
  );
  frozen.send('SIGSTOP');
  expireLeases(rig);
  const supervisor = await rig.supervisor();
  const run = await supervisor.attach(runIdOf(runId));
  assert.equal(supervisor.get(run.runId)?.epoch, 2);
  await run.write('from the new owner\n');
  await untilOutput(run, 'got from the new owner');

  frozen.send('SIGCONT');
  await assert.rejects(frozen.call('write', runId, 'typed by the old one\n', false), refused);
  await assert.rejects(frozen.call('write', runId, 'promised by the old one\n', true), refused);
  await assert.rejects(frozen.call('signal', runId, 'SIGKILL'), refused);
  await frozen.call('cancel', runId);
  await assert.rejects(frozen.call('wait', runId), refused);

  assert.ok(isAlive(pid));
  assert.equal(supervisor.get(run.runId)?.epoch, 2);
  assert.equal(supervisor.get(run.runId)?.state, 'running');
  assert.deepEqual(rig.sql('SELECT * FROM input_outbox'), []);
  await run.end();
  const exit = await run.wait();
  assert.equal(exit.reason, 'exit');
  assert.equal(await textOf(run), 'got from the new owner\n');
});

function refused(error: unknown): boolean {
  const codes = ['epoch-stale', 'lease-lost', 'shim-refused', 'not-owner'];
  return codes.some((code) => hasCode(error, code)) || assert.fail(String(error));
}

test('S1: an owner frozen between its record and its request makes no ghost when it wakes', async (t) => {
  const rig = createRig(t);
  /* Stops itself after the second step of a spawn: the directory is made, the record committed. */
  const frozen = await rig.owner({ crash: { from: 'spawn', at: 2, signal: 'SIGSTOP' } });
  const spawning = frozen.call('spawn', rig.sh('echo started >> lines', { runId: 'ghost' }));
  spawning.catch(() => undefined);
  await rig.until(() => isStopped(frozen.pid), 'the owner stops');
  assert.equal(rig.sql('SELECT * FROM runs').length, 1);
  expireLeases(rig);
  const supervisor = await rig.supervisor();
  const [{ decision } = assert.fail('one decision')] = rig.events.all('reconcile');
  assert.equal(decision.decision, 'voided');
  const exit = supervisor.get(runIdOf('ghost'))?.exit;
  assert.equal(exit?.reason, 'reconciled-stale');
  assert.deepEqual(
    exit.failure,
    { stage: unclaimedStage, errno: 0 },
    'proven to have done nothing',
  );

  frozen.send('SIGCONT');
  await assert.rejects(spawning);
  assert.equal(existsSync(join(rig.scratchDir, 'lines')), false);
  assert.deepEqual(readdirSync(join(rig.stateDir, 'runs')), []);
});

test('S1: whoever voids a start and is lost before that is on record leaves no doubt to the next one', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner({ crash: { from: 'spawn', at: 2 } });
  await assert.rejects(owner.call('spawn', rig.sh('echo started >> lines', { runId: 'ghost' })));
  // All that a reconciler has done when it is killed in that moment.
  rmdirSync(join(rig.stateDir, 'runs', 'ghost'));
  const supervisor = await rig.supervisor();
  const [{ decision } = assert.fail('one decision')] = rig.events.all('reconcile');
  assert.equal(decision.decision, 'voided');
  const exit = supervisor.get(runIdOf('ghost'))?.exit;
  assert.deepEqual(exit?.failure, { stage: unclaimedStage, errno: 0 });
});

test('S1: a stopped spawnd with a spawn in its queue starts nothing once its owner is gone', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const { pid } = await owner.call('spawn', rig.sh('exec sleep 300', { runId: 'first' }));
  const spawnd = seeProcess(seeProcess(pid)?.parentPid ?? 0)?.parentPid ?? 0;
  process.kill(spawnd, 'SIGSTOP');
  const spawning = owner.call('spawn', rig.sh('echo started >> lines', { runId: 'queued' }));
  spawning.catch(() => undefined);
  const queuedDir = join(rig.stateDir, 'runs', 'queued');
  await rig.untilThere(queuedDir);
  await rig.until(
    () => rig.sql("SELECT * FROM runs WHERE run_id = 'queued'").length === 1,
    'record',
  );
  await owner.kill();

  const supervisor = await rig.supervisor();
  const queued = supervisor.get(runIdOf('queued'));
  assert.equal(queued?.state, 'exited');
  assert.equal(queued.exit?.reason, 'reconciled-stale');
  assert.equal(existsSync(queuedDir), false);
  process.kill(spawnd, 'SIGCONT');
  const first = await supervisor.attach(runIdOf('first'));
  await first.cancel();
  await first.wait();
  /* It has read its queue, and its last run has ended: so it ends too. */
  await rig.untilGone(spawnd);
  assert.equal(existsSync(join(rig.scratchDir, 'lines')), false);
});

test('S2: a spawn that spawnd never answers fails in the end, and starts nothing later', async (t) => {
  const rig = createRig(t);
  const clock = createHurriedClock();
  const supervisor = await rig.supervisor({ clock });
  const first = await supervisor.spawn(rig.sh('exec sleep 300'));
  const spawnd = seeProcess(seeProcess(first.pid)?.parentPid ?? 0)?.parentPid ?? 0;
  process.kill(spawnd, 'SIGSTOP');
  clock.hurry(200);
  try {
    await assert.rejects(supervisor.spawn(rig.sh('echo started >> lines')), {
      code: 'spawn-failed',
    });
  } finally {
    clock.hurry(1);
    process.kill(spawnd, 'SIGCONT');
  }
  await first.cancel();
  await first.wait();
  assert.equal(existsSync(join(rig.scratchDir, 'lines')), false);
});

test('O5: a stopped shim is not taken for a dead one, and is adopted when it answers', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const { runId, pid } = await owner.call('spawn', rig.sh('exec sleep 300'));
  const shim = seeProcess(pid)?.parentPid ?? 0;
  await owner.kill();
  process.kill(shim, 'SIGSTOP');
  const clock = createHurriedClock();
  clock.hurry(20);
  const supervisor = await rig.supervisor({ clock });
  clock.hurry(1);
  const [{ decision } = assert.fail('one decision')] = rig.events.all('reconcile');
  assert.equal(decision.decision, 'unverifiable');
  assert.equal(supervisor.get(runIdOf(runId))?.epoch, 1, 'it was not touched');
  assert.ok(isAlive(pid));
  process.kill(shim, 'SIGCONT');
  const [again] = await supervisor.reconcile();
  assert.equal(again?.decision, 'adopted');
  await supervisor.cancel(runIdOf(runId));
  assert.equal((await (await supervisor.attach(runIdOf(runId))).wait()).reason, 'manual-cancel');
});

test('T5: a cancel that a stopped shim could not hear is told again when it wakes', async (t) => {
  const rig = createRig(t);
  const clock = createHurriedClock();
  const supervisor = await rig.supervisor({ clock });
  const run = await supervisor.spawn(rig.sh('exec sleep 300'));
  const shim = seeProcess(run.pid)?.parentPid ?? 0;
  process.kill(shim, 'SIGSTOP');
  clock.hurry(50);
  await run.cancel();
  assert.ok(isAlive(run.pid));
  await rig.until(() => rig.logged.includes('run.uncertain'), 'the request is given up');
  clock.hurry(1);
  process.kill(shim, 'SIGCONT');
  assert.equal((await run.wait()).reason, 'manual-cancel');
});

test('O4: an operator whose cancel a stopped shim did not hear is told so, and waits for nothing', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const { runId, pid } = await owner.call('spawn', rig.sh('exec sleep 300'));
  const shim = seeProcess(pid)?.parentPid ?? 0;
  const clock = createHurriedClock();
  const operator = await rig.supervisor({ clock });
  process.kill(shim, 'SIGSTOP');
  clock.hurry(50);
  try {
    const run = await operator.attach(runIdOf(runId));
    await assert.rejects(run.cancel(), { code: 'shim-unreachable' });
  } finally {
    clock.hurry(1);
    process.kill(shim, 'SIGCONT');
  }
  assert.ok(isAlive(pid));
  /* Whoever owns it by now: it hears again. */
  const awake = await operator.attach(runIdOf(runId));
  await awake.cancel();
  assert.equal((await awake.wait()).reason, 'manual-cancel');
});

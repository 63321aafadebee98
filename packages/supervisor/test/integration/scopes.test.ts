/*
 * One live run per scope key, and what it takes to replace it (O4, O7).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRig, runIdOf } from './rig.ts';
import { createHurriedClock } from './hurried-clock.ts';
import { isAlive, seeProcess } from './process-table.ts';

test('O7: a scope that is held is busy, and free again after the end', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const input = rig.sh('exec sleep 300', { scopeKey: 'one' });
  const first = await supervisor.spawn(input);
  await assert.rejects(supervisor.spawn(input), { code: 'scope-busy' });
  const elsewhere = await rig.owner({ adoption: 'record' });
  await assert.rejects(elsewhere.call('spawn', input), { code: 'scope-busy' });
  await first.cancel();
  await first.wait();
  const second = await supervisor.spawn(input);
  assert.notEqual(second.runId, first.runId);
  await second.cancel();
  await second.wait();
});

test('O7: replaceExisting ends the run that holds the scope before the next one starts', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const input = rig.sh('exec sleep 300', { scopeKey: 'one' });
  const first = await supervisor.spawn(input);
  const second = await supervisor.spawn({ ...input, replaceExisting: true });
  assert.equal(isAlive(first.pid), false);
  const exit = await first.wait();
  assert.equal(exit.reason, 'manual-cancel');
  assert.equal(exit.actor, 'replaced');
  await second.cancel();
  await second.wait();
});

test('O4: replaceExisting ends a healthy run of another owner through its shim', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const supervisor = await rig.supervisor();
  const input = rig.sh('exec sleep 300', { scopeKey: 'one' });
  const first = await owner.call('spawn', input);
  const second = await supervisor.spawn({ ...input, replaceExisting: true });
  assert.equal(isAlive(first.pid), false);
  assert.equal(supervisor.get(runIdOf(first.runId))?.epoch, 1, 'it kept its owner');
  const exit = await owner.call('wait', first.runId);
  assert.equal(exit.actor, 'replaced');
  await second.cancel();
  await second.wait();
});

test('O7: replaceExisting ends and records a run whose owner is dead', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const supervisor = await rig.supervisor({ adoption: 'record' });
  const input = rig.sh('exec sleep 300', { scopeKey: 'one' });
  const first = await owner.call('spawn', input);
  await owner.kill();
  const second = await supervisor.spawn({ ...input, replaceExisting: true });
  assert.equal(isAlive(first.pid), false);
  assert.equal(supervisor.get(runIdOf(first.runId))?.exit?.actor, 'replaced');
  await second.cancel();
  await second.wait();
});

test('O7: a run that cannot be verified keeps its scope, unless a person forces it', async (t) => {
  const rig = createRig(t);
  const clock = createHurriedClock();
  const supervisor = await rig.supervisor({ clock });
  const input = rig.sh('exec sleep 300', { scopeKey: 'one' });
  const first = await supervisor.spawn(input);
  const shim = seeProcess(first.pid)?.parentPid ?? 0;
  process.kill(shim, 'SIGSTOP');
  const replacing = { ...input, replaceExisting: true };
  clock.hurry(50);
  await assert.rejects(supervisor.spawn(replacing), { code: 'scope-uncertain' });
  assert.equal(supervisor.get(first.runId)?.scopeKey, 'one');
  const forced = supervisor.spawn({ ...replacing, force: true });
  const isFree = (): boolean => supervisor.get(first.runId)?.scopeKey === undefined;
  await Promise.race([forced, rig.until(isFree, 'its scope is free')]);
  clock.hurry(1);
  const second = await forced;
  assert.ok(isAlive(second.pid));
  assert.ok(isAlive(first.pid), 'nobody killed what could not be asked');
  assert.equal(supervisor.get(first.runId)?.scopeKey, undefined);
  process.kill(shim, 'SIGCONT');
  await first.cancel();
  await first.wait();
  await second.cancel();
  await second.wait();
});

/*
 * What became of runs that nobody watched: each is judged by evidence, and nothing is signalled without it
 * (O5, T6, T8, E1).
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { rebuildRegistry } from '@clawdfather/supervisor';
import { createRig, type Rig, runIdOf, textOf, untilOutput } from './rig.ts';
import type { OwnerProcess } from './owner-process.ts';
import { isAlive, seeProcess } from './process-table.ts';

/* A run of a dead owner whose shim and spawnd are dead too: only its record is left, and its root is not. */
async function orphanedRecord(rig: Rig, script = 'exec sleep 300'): Promise<OwnerProcess> {
  const owner = await rig.owner();
  const { pid } = await owner.call('spawn', rig.sh(script, { runId: 'orphan' }));
  const shim = seeProcess(pid)?.parentPid ?? 0;
  const spawnd = seeProcess(shim)?.parentPid ?? 0;
  await owner.kill();
  process.kill(spawnd, 'SIGKILL');
  process.kill(shim, 'SIGKILL');
  await rig.untilGone(pid);
  return owner;
}

async function decisionOf(rig: Rig): Promise<string> {
  await rig.supervisor();
  const [event] = rig.events.all('reconcile');
  return event?.decision.decision ?? 'none';
}

test('O5: a stale record of this boot is recorded as that', async (t) => {
  const rig = createRig(t);
  await orphanedRecord(rig);
  const deadByMs = Date.now();
  assert.equal(await decisionOf(rig), 'stale');
  const [exit] = rig.events.all('exit');
  const { lastSeenAtMs = Infinity, endedAtMs = 0 } = exit?.exit ?? {};
  assert.ok(
    lastSeenAtMs <= deadByMs && deadByMs <= endedAtMs,
    'the last sign of life, and when it was found',
  );
  assert.equal(exit?.exit.reason, 'reconciled-stale');
  assert.equal(exit.exit.code, undefined, 'what is not known is not made up');
});

test('T8: what a killed shim left is ended by its lease id, and counted', async (t) => {
  const rig = createRig(t);
  await orphanedRecord(
    rig,
    'setsid sh -c "trap : TERM; sleep 300; sleep 300" & echo up; exec sleep 300',
  );
  assert.equal(rig.processes().length > 0, true, 'the descendant lives on');
  assert.equal(await decisionOf(rig), 'terminated');
  const [exit] = rig.events.all('exit');
  assert.ok((exit?.exit.killed.pid ?? 0) >= 1);
  assert.deepEqual(rig.processes(), []);
});

test('C1: a record of another boot is host-rebooted, whoever has its pids now', async (t) => {
  const rig = createRig(t);
  await orphanedRecord(rig);
  const bystander = await startBystander();
  rig.sql(
    'UPDATE runs SET boot_id = ?, pid = ?, shim_pid = ?',
    '11111111-2222-4333-8444-555555555555',
    bystander.pid,
    bystander.pid,
  );
  rig.sql("UPDATE owners SET boot_id = '11111111-2222-4333-8444-555555555555'");
  assert.equal(await decisionOf(rig), 'stale');
  assert.equal(rig.events.all('exit')[0]?.exit.reason, 'host-rebooted');
  assert.ok(isAlive(bystander.pid));
  await bystander.end();
});

test('E1: a record of another pid namespace whose socket refuses is container-restarted', async (t) => {
  const rig = createRig(t);
  await orphanedRecord(rig);
  const bystander = await startBystander();
  rig.sql('UPDATE runs SET pid_namespace = 1, pid = ?, shim_pid = ?', bystander.pid, bystander.pid);
  rig.sql('UPDATE owners SET pid_namespace = 1, lease_expires_at_ms = 1');
  assert.equal(await decisionOf(rig), 'stale');
  assert.equal(rig.events.all('exit')[0]?.exit.reason, 'container-restarted');
  assert.ok(isAlive(bystander.pid));
  await bystander.end();
});

test('O5: an owner in another pid namespace is not taken for dead while its lease holds', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const { pid } = await owner.call('spawn', rig.sh('exec sleep 300', { runId: 'theirs' }));
  rig.sql('UPDATE owners SET pid_namespace = 1');
  assert.equal(await decisionOf(rig), 'foreign-healthy');
  assert.ok(isAlive(pid));
  await owner.call('cancel', 'theirs');
  await owner.call('wait', 'theirs');
});

test('T6: a pid that belongs to somebody else now is never signalled', async (t) => {
  const rig = createRig(t);
  await orphanedRecord(rig);
  const bystander = await startBystander();
  rig.sql('UPDATE runs SET pid = ?, process_group_id = ?', bystander.pid, bystander.pid);
  assert.equal(await decisionOf(rig), 'stale');
  assert.ok(isAlive(bystander.pid));
  await bystander.end();
});

interface Bystander {
  readonly pid: number;
  end(): Promise<void>;
}

/* A process of nobody's run. */
async function startBystander(): Promise<Bystander> {
  const child = spawn('sleep', ['300'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const gone = once(child, 'exit');
  return {
    pid: child.pid ?? 0,
    end: async () => {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

test('T9: a run that is to end with its owner ends once the lease has run out', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const { pid } = await owner.call('spawn', rig.sh('exec sleep 300', { ownerLoss: 'kill' }));
  await owner.kill();
  rig.sql('UPDATE owners SET lease_expires_at_ms = 1');
  assert.equal(await decisionOf(rig), 'terminated');
  const { exit } = await rig.events.until('exit');
  assert.equal(exit.reason, 'owner-lost');
  assert.equal(isAlive(pid), false);
});

test('T8: a shim killed under a living owner settles its run as unknown, and its tree is swept', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(rig.sh('setsid sleep 300 & echo up; exec sleep 300'));
  await untilOutput(run, 'up');
  process.kill(seeProcess(run.pid)?.parentPid ?? 0, 'SIGKILL');
  const exit = await run.wait();
  assert.equal(exit.reason, 'unknown');
  assert.ok(exit.killed.pid >= 1);
  const events = [];
  for await (const event of run.output()) events.push(event.kind);
  assert.deepEqual(events, ['output', 'tail-lost']);
  await rig.until(() => rig.processes().length <= 1, 'only spawnd is left');
});

test('O3: a lost registry is rebuilt from the run directories, live runs and finished ones', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const labels = { account: 'a1' };
  const living = await owner.call(
    'spawn',
    rig.sh('exec cat', { runId: 'living', labels, scopeKey: 'one' }),
  );
  await owner.call('write', 'living', 'before ', true);
  await owner.call('spawn', rig.sh('echo out; exit 3', { runId: 'finished' }));
  await owner.call('wait', 'finished');
  await owner.kill();
  for (const part of ['', '-wal', '-shm'])
    rmSync(join(rig.stateDir, `registry.db${part}`), { force: true });

  const report = await rebuildRegistry({ stateDir: rig.stateDir });
  assert.deepEqual(report.recovered.toSorted(), ['finished', 'living']);
  assert.deepEqual(report.skipped, []);
  const supervisor = await rig.supervisor();
  const finished = supervisor.get(runIdOf('finished'));
  assert.equal(finished?.state, 'exited');
  assert.equal(finished.exit?.code, 3);
  assert.equal(await textOf(await supervisor.attach(runIdOf('finished'))), 'out\n');
  const record = supervisor.get(runIdOf('living'));
  assert.deepEqual(record?.labels, labels);
  assert.equal(record?.pid, living.pid);
  assert.ok((record?.epoch ?? 0) >= 2, 'whoever held it before is fenced off');
  const run = await supervisor.attach(runIdOf('living'));
  await run.write('after', { durable: true });
  await run.end();
  assert.equal((await run.wait()).code, 0);
  assert.equal(await textOf(run), 'before after');
});

test('O7: a rebuild brings back a forced-out run and the one that took its scope', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  await owner.call('spawn', rig.sh('exec sleep 300', { runId: 'old', scopeKey: 'one' }));
  rig.sql('UPDATE runs SET scope_key = NULL');
  await owner.call('spawn', rig.sh('exec sleep 300', { runId: 'new', scopeKey: 'one' }));
  await owner.kill();
  const report = await rebuildRegistry({ stateDir: rig.stateDir });
  assert.deepEqual(report.recovered.toSorted(), ['new', 'old']);
  const supervisor = await rig.supervisor();
  const scoped = supervisor.list({ scopeKey: 'one' }).map(({ runId }) => runId);
  assert.deepEqual(scoped, ['new'], 'the newer one has it');
  for (const { runId } of supervisor.list()) {
    await supervisor.cancel(runId);
    await (await supervisor.attach(runId)).wait();
  }
});

test('S5: a platform without a shim is refused by name', async (t) => {
  const rig = createRig(t);
  await assert.rejects(rig.supervisor({ platform: 'darwin' }), { code: 'platform-unsupported' });
  await assert.rejects(rig.supervisor({ platform: 'win32' }), { code: 'platform-unsupported' });
});

/*
 * The eight cases that every operating system has to pass, on this one: for pipes and for terminals wherever both make
 * sense.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReconcileDecision } from '@clawdfather/supervisor';
import { assertRecorded, createRig, runIdOf, textOf, transports, untilOutput } from './rig.ts';
import { isAlive, seeProcess } from './process-table.ts';

for (const { name, input } of transports) {
  test(`direct-exit (${name}): the reason is exit, the registry is final, the output is whole`, async (t) => {
    const rig = createRig(t);
    const supervisor = await rig.supervisor();
    const run = await supervisor.spawn(input(rig, 'printf hello; exit 3'));
    const exit = await run.wait();
    assert.equal(exit.reason, 'exit');
    assert.equal(exit.code, 3);
    assert.equal(await textOf(run), 'hello');
    assertRecorded(supervisor, exit);
    assert.equal(rig.events.counted('run_spawn_total'), 1);
    assert.equal(rig.events.counted('run_exit_total', { reason: 'exit' }), 1);
    assert.equal(rig.events.all('exit').length, 1);
  });

  test(`manual-cancel (${name}): the tree ends and the reason is the canceller's`, async (t) => {
    const rig = createRig(t);
    const supervisor = await rig.supervisor();
    const run = await supervisor.spawn(input(rig, 'sleep 300 & echo ready; wait'));
    await untilOutput(run, 'ready');
    await supervisor.cancel(run.runId, 'manual-cancel', 'somebody');
    const exit = await run.wait();
    assert.equal(exit.reason, 'manual-cancel');
    assert.equal(exit.actor, 'somebody');
    assert.equal(exit.survivors.length, 0);
    assertRecorded(supervisor, exit);
    assert.equal(rig.events.counted('run_cleanup_kill_total', { mode: 'pgid' }), 1);
  });

  test(`overall-timeout (${name}): the deadline ends the tree and gives the reason`, async (t) => {
    const rig = createRig(t);
    const supervisor = await rig.supervisor();
    const script = 'sleep 300 & wait';
    const run = await supervisor.spawn(input(rig, script, { overallTimeoutMs: 150 }));
    const exit = await run.wait();
    assert.equal(exit.reason, 'overall-timeout');
    assertRecorded(supervisor, exit);
    assert.equal(rig.events.counted('run_timeout_total', { type: 'overall' }), 1);
    assert.equal(rig.events.counted('run_timeout_total'), 1);
  });

  test(`no-output-timeout (${name}): silence ends the tree and gives the reason`, async (t) => {
    const rig = createRig(t);
    const supervisor = await rig.supervisor();
    const script = 'echo first; sleep 300';
    const run = await supervisor.spawn(input(rig, script, { noOutputTimeoutMs: 5_000 }));
    const exit = await run.wait();
    assert.equal(exit.reason, 'no-output-timeout');
    assert.match(await textOf(run), /^first\r?\n$/);
    assertRecorded(supervisor, exit);
    assert.equal(rig.events.counted('run_timeout_total', { type: 'no_output' }), 1);
  });

  test(`pty-interactive (${name}): output now and then re-arms the watchdog`, async (t) => {
    const rig = createRig(t);
    const supervisor = await rig.supervisor();
    const script = 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do printf .; sleep 0.5; done';
    const run = await supervisor.spawn(input(rig, script, { noOutputTimeoutMs: 5_000 }));
    const exit = await run.wait();
    assert.equal(exit.reason, 'exit');
    assert.equal(exit.code, 0);
    assert.ok((exit.durationMs ?? 0) > 5_000, 'it lived longer than the watchdog');
    assert.equal(await textOf(run), '.'.repeat(12));
  });

  test(`shell-wrapper-tree (${name}): no descendant is left after a cancel`, async (t) => {
    const rig = createRig(t);
    const supervisor = await rig.supervisor();
    const script = `
      sh -c 'echo pid $$; sleep 300 & echo pid $!; wait' &
      setsid sh -c 'echo pid $$; sleep 300 & echo pid $!; wait' &
      echo pid $$; wait`;
    const run = await supervisor.spawn(input(rig, script));
    let text = '';
    for await (const event of run.output()) {
      if (event.kind === 'output') text += Buffer.from(event.bytes).toString();
      if (text.match(/pid \d+\r?\n/g)?.length === 5) break;
    }
    const pids = [...text.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));
    assert.ok(pids.every(isAlive));
    await run.cancel();
    const exit = await run.wait();
    assert.deepEqual(pids.filter(isAlive), []);
    assert.equal(exit.reason, 'manual-cancel');
    assert.ok(exit.escapees >= 2, 'those that left the session are counted');
  });

  test(`restart-reconcile (${name}): a crashed owner's runs are each judged on evidence`, async (t) => {
    const rig = createRig(t);
    const owner = await rig.owner();
    const go = `${rig.scratchDir}/go`;
    const until = `until test -e ${go}; do sleep 0.02; done`;
    const living = await owner.call(
      'spawn',
      input(rig, 'echo here; sleep 300', { runId: 'living' }),
    );
    const ending = await owner.call(
      'spawn',
      input(rig, `${until}; echo bye; exit 9`, { runId: 'ending' }),
    );
    const lost = await owner.call('spawn', input(rig, 'sleep 300', { runId: 'lost' }));
    const shimOfLost = seeProcess(lost.pid)?.parentPid ?? 0;
    const spawnd = seeProcess(shimOfLost)?.parentPid ?? 0;
    await owner.kill();
    /* Without its spawnd nobody sweeps after a killed shim: that is what reconciliation is for. */
    process.kill(spawnd, 'SIGKILL');
    process.kill(shimOfLost, 'SIGKILL');
    rig.touch(go);
    await rig.untilGone(ending.pid);

    const supervisor = await rig.supervisor();
    const decided = decisionsByRun(rig.events.all('reconcile').map(({ decision }) => decision));
    assert.equal(decided['living'], 'adopted');
    assert.equal(decided['ending'], 'finalised');
    assert.match(decided['lost'] ?? '', /^(stale|terminated)$/);
    assert.equal(supervisor.get(runIdOf('ending'))?.exit?.code, 9);
    assert.equal(supervisor.get(runIdOf('lost'))?.state, 'exited');
    assert.equal(isAlive(lost.pid), false);
    assert.ok(isAlive(living.pid));
    const adopted = await supervisor.attach(runIdOf('living'));
    assert.equal(adopted.pid, living.pid);
    await adopted.cancel();
    assert.equal((await adopted.wait()).reason, 'manual-cancel');
    assert.match(await textOf(adopted), /^here\r?\n$/);
    assert.match(await textOf(await supervisor.attach(runIdOf('ending'))), /^bye\r?\n$/);
  });
}

test('lease-contention: of two supervisors one gets each run, and nothing is ended twice (O2, O3)', async (t) => {
  const rig = createRig(t);
  const first = await rig.owner();
  const runIds = Array.from({ length: 12 }, (_, index) => `run-${index}`);
  for (const runId of runIds) await first.call('spawn', rig.sh('exec sleep 300', { runId }));
  const rivals = [await rig.owner({ isOpened: false }), await rig.owner({ isOpened: false })];
  await first.kill();
  await Promise.all(rivals.map((rival) => rival.call('open')));

  const takers = new Map<string, number>();
  for (const rival of rivals) {
    for (const event of await rival.call('events')) {
      if (event.type !== 'reconcile' || event.decision.decision !== 'adopted') continue;
      takers.set(event.decision.runId, (takers.get(event.decision.runId) ?? 0) + 1);
    }
  }
  assert.deepEqual([...takers.keys()].sort(), runIds.toSorted());
  assert.ok([...takers.values()].every((count) => count === 1));
  for (const { epoch } of rig.sql('SELECT epoch FROM runs')) assert.equal(epoch, 2);

  await Promise.all(rivals.flatMap((rival) => runIds.map((runId) => rival.call('cancel', runId))));
  for (const runId of runIds) {
    const [one, other] = await Promise.all(rivals.map((rival) => rival.call('wait', runId)));
    assert.equal(one?.reason, 'manual-cancel');
    assert.deepEqual(one?.killed, { pid: 0, pgid: 1, cgroup: 0 });
    assert.equal(other?.reason, 'manual-cancel');
  }
});

function decisionsByRun(decisions: readonly ReconcileDecision[]): Record<string, string> {
  return Object.fromEntries(decisions.map(({ runId, decision }) => [runId, decision]));
}

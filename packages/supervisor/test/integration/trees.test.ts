/*
 * Whatever a command does with its descendants, the run ends with all of them (T1, T2, T4).
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ManagedRun } from '@clawdfather/supervisor';
import { assertRecorded, createRig, transports, untilOutput } from './rig.ts';
import { isAlive } from './process-table.ts';

/* A child and a grandchild beneath the root, which are told by their pids; then it waits. */
const family = `sh -c 'sleep 300 & echo pid $!; echo pid $$; wait' & echo pid $!; echo ready; wait`;

async function pidsOf(run: ManagedRun, count: number): Promise<readonly number[]> {
  let text = '';
  for await (const event of run.output()) {
    if (event.kind === 'output') text += Buffer.from(event.bytes).toString();
    const pids = [...text.matchAll(/pid (\d+)\r?\n/g)].map(([, pid]) => Number(pid));
    if (pids.length >= count) return pids;
  }
  throw new Error(`it said only ${text}`);
}

async function assertCancelEnds(run: ManagedRun, count: number): Promise<void> {
  const pids = await pidsOf(run, count);
  assert.ok(pids.every(isAlive));
  await run.cancel();
  const exit = await run.wait();
  assert.equal(exit.reason, 'manual-cancel');
  assert.deepEqual(pids.filter(isAlive), []);
  assert.deepEqual(exit.survivors, []);
}

for (const { name, input } of transports) {
  for (const shell of ['bash', 'sh']) {
    test(`T2: ${shell} -lc and everything beneath it ends with a cancel (${name})`, async (t) => {
      const rig = createRig(t);
      const supervisor = await rig.supervisor();
      const script = `${shell} -lc '${family.replaceAll("'", `'\\''`)}'`;
      await assertCancelEnds(await supervisor.spawn(input(rig, script)), 3);
    });
  }

  test(`T2: an npm script and everything beneath it ends with a cancel (${name})`, async (t) => {
    const rig = createRig(t);
    const supervisor = await rig.supervisor();
    writeFileSync(
      join(rig.scratchDir, 'package.json'),
      JSON.stringify({ name: 'tree', version: '1.0.0', scripts: { tree: family } }),
    );
    const env = { HOME: rig.scratchDir, npm_config_update_notifier: 'false' };
    await assertCancelEnds(await supervisor.spawn(input(rig, 'npm run tree', { env })), 3);
  });

  test(`T2: a child that ignores TERM and HUP is killed after its grace (${name})`, async (t) => {
    const rig = createRig(t);
    const supervisor = await rig.supervisor();
    const stubborn = `trap '' TERM HUP; sh -c "trap '' TERM HUP; echo pid \\$\\$; while :; do sleep 1; done" & echo pid $$; while :; do wait; done`;
    const run = await supervisor.spawn(input(rig, stubborn, { graceMs: 100 }));
    const pids = await pidsOf(run, 2);
    await run.cancel();
    const exit = await run.wait();
    assert.equal(exit.reason, 'manual-cancel');
    assert.equal(exit.signal, 'SIGKILL');
    assert.deepEqual(pids.filter(isAlive), []);
  });

  test(`T4: a descendant that outlives the root fails the run as an ownership escape (${name})`, async (t) => {
    const rig = createRig(t);
    const supervisor = await rig.supervisor();
    const escape = `setsid sh -c 'trap "" HUP; echo pid $$; : > escaped; exec sleep 300' &`;
    const script = `${escape} until test -e escaped; do sleep 0.01; done; exit 5`;
    const run = await supervisor.spawn(input(rig, script, { leftovers: 'fail' }));
    const exit = await run.wait();
    assert.equal(exit.reason, 'ownership-escape');
    assert.equal(exit.code, 5, "the root's exit code stands");
    assert.ok(exit.leftovers.length >= 1);
    const [pid = 0] = await pidsOf(run, 1);
    assert.equal(isAlive(pid), false);
    assertRecorded(supervisor, exit);
    assert.equal(rig.events.counted('run_ownership_escape_total'), 1);
  });
}

test('T2: direct exec without a shell, with children of its own, ends with a cancel', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const program = `
    const { spawn } = require('node:child_process');
    for (const detached of [false, true]) {
      const child = spawn('sleep', ['300'], { detached, stdio: 'inherit' });
      process.stdout.write('pid ' + child.pid + '\\n');
    }
    process.stdout.write('pid ' + process.pid + '\\n');`;
  const run = await supervisor.spawn(rig.child([process.execPath, '-e', program]));
  await assertCancelEnds(run, 3);
});

test('T2: a fork storm in which every generation detaches is ended whole', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  /* Each generation starts the next in a session of its own, clears its traces, and ends. */
  writeFileSync(
    join(rig.scratchDir, 'storm.sh'),
    `trap '' TERM HUP
     n=$1
     if [ "$n" -gt 0 ]; then setsid sh "$0" $((n - 1)) & setsid sh "$0" $((n - 1)) & else : > leaf; fi
     sleep 300`,
  );
  const run = await supervisor.spawn(
    rig.sh('setsid sh storm.sh 5 & exec sleep 300', { graceMs: 50 }),
  );
  await rig.untilThere(join(rig.scratchDir, 'leaf'));
  await run.cancel();
  const exit = await run.wait();
  assert.equal(exit.reason, 'manual-cancel');
  assert.deepEqual(exit.survivors, []);
  assert.ok(exit.killed.pid > 0, 'those outside the group were found one by one');
  assert.deepEqual(
    rig.processes().filter(({ comm }) => comm === 'sh' || comm === 'sleep'),
    [],
  );
});

test('T2: a double fork into a new session with a cleared environment is found and ended', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const hide = `env -i setsid sh -c 'sh -c "echo pid \\$\\$; exec sleep 300" & exit' & wait; echo pid $$; exec sleep 300`;
  const run = await supervisor.spawn(rig.sh(hide));
  await assertCancelEnds(run, 2);
});

test('T3: duplicate cancels and a late one are harmless, and the first reason stands', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(rig.sh('echo ready; exec sleep 300'));
  await untilOutput(run, 'ready');
  await Promise.all([
    run.cancel('manual-cancel', 'first'),
    run.cancel('owner-lost', 'second'),
    supervisor.cancel(run.runId, 'overall-timeout', 'third'),
  ]);
  const waits = await Promise.all([run.wait(), run.wait(), run.wait()]);
  await run.cancel('owner-lost', 'late');
  await supervisor.cancel(run.runId, 'owner-lost', 'later');
  for (const exit of waits) {
    assert.equal(exit.reason, 'manual-cancel');
    assert.equal(exit.actor, 'first');
  }
  assert.deepEqual(await run.wait(), waits[0]);
  assertRecorded(supervisor, await run.wait());
  assert.equal(rig.events.all('exit').length, 1);
  assert.equal(rig.events.counted('run_exit_total'), 1);
});

/*
 * T8: what a killed shim leaves behind, swept by spawnd, or by its lease when spawnd is gone too.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, untilGone } from '../process-rig.ts';
import { nativeTest, until } from './rig.ts';
import type { Run } from './run.ts';
import { runDirOf, spawndOf } from './users.ts';

const idle = ['sleep', '600'] as const;

nativeTest(
  'T8: what a killed shim leaves is swept, however it is hidden, and counted',
  async (rig) => {
    const up = join(rig.dir, 'up');
    const hidden = `setsid env -i /bin/sh -c "trap '' TERM HUP; echo > ${up}; sleep 600 & wait"`;
    const run = await rig.sh(`(${hidden} &) ; exec sleep 601`);
    const beside = await rig.run(idle);
    const { shimPid, pid } = await run.started();
    const other = await beside.started();
    await until('it hides', () => existsSync(up) && rig.fence.processes().length >= 7);
    process.kill(shimPid, 'SIGKILL');
    const lost = await run.log.until('shim-lost');
    assert.deepEqual([lost.shimPid, lost.signal], [shimPid, 9]);
    assert.ok(lost.swept >= 2, `swept ${lost.swept}`);
    assert.equal(isAlive(pid), false);
    assert.ok(isAlive(other.pid) && isAlive(other.shimPid), 'the run beside it is not touched');
    assert.equal(rig.fence.processes().length, 3);
  },
);

nativeTest('T8: many shims killed at once: each run hears it, and nothing is left', async (rig) => {
  const runs: Run[] = [];
  for (let n = 0; n < 40; n += 1) runs.push(await rig.sh('setsid sleep 600 & exec sleep 601'));
  const starts = await Promise.all(runs.map((run) => run.started()));
  const survivors = await Promise.all([rig.run(idle), rig.run(idle)]);
  const others = await Promise.all(survivors.map((run) => run.started()));
  for (const { shimPid } of starts) process.kill(shimPid, 'SIGKILL');
  await Promise.all(runs.map((run) => run.log.until('shim-lost')));
  for (const { pid } of starts) assert.equal(isAlive(pid), false);
  for (const { pid } of others) assert.ok(isAlive(pid));
  assert.equal(rig.fence.processes().length, 5);
});

nativeTest(
  'T8: what cannot be ended after a killed shim is counted as left',
  async (rig) => {
    const uid = 64_050;
    const link = await spawndOf(rig, uid, { env: rig.clockEnv });
    const become = join(rig.dir, 'become-root');
    copyFileSync('/usr/bin/setpriv', become);
    chownSync(become, 0, 0);
    chmodSync(become, 0o4755);
    const script = `${become} --reuid 0 --regid 0 --clear-groups sleep 600 & echo "pid $!"; wait`;
    const run = await rig.run(['sh', '-c', script], { runDir: runDirOf(rig, uid) }, link);
    const output = await run.untilOutput((seen) => /pid \d+\n/.test(seen.toString()));
    const survivor = Number(/pid (\d+)/.exec(output.toString())?.[1]);
    rig.defer(() => {
      if (isAlive(survivor)) process.kill(survivor, 'SIGKILL');
    });
    await until('it has become root', () => {
      return /^Uid:\t0\t0\t0\t0$/m.test(readFileSync(`/proc/${survivor}/status`, 'utf8'));
    });
    const { pid, shimPid } = await run.started();
    process.kill(shimPid, 'SIGKILL');
    /* What can be ended is; the other is tried for some seconds before it is given up on. */
    await untilGone(shimPid);
    await untilGone(pid);
    rig.moveClock({ monotonicMs: 10_000 });
    const lost = await run.log.until('shim-lost');
    assert.equal(lost.left, 1);
    assert.ok(isAlive(survivor));
  },
  { root: true, hooks: true, programs: ['setpriv'] },
);

nativeTest(
  'T8: without spawnd the root still dies with its shim, and the rest is found by its lease',
  async (rig) => {
    const lease = `lease-${rig.fence.mark}`;
    const env = { PATH: '/usr/bin:/bin', CLAWDFATHER_LEASE_ID: lease };
    const link = await rig.newSpawnd();
    const up = join(rig.dir, 'up');
    const script = `setsid sh -c "echo > ${up}; sleep 600" & exec sleep 601`;
    const run = await rig.run(['sh', '-c', script], { env }, link);
    const twin = await rig.run(
      idle,
      { env: { ...env, CLAWDFATHER_LEASE_ID: `${lease}-not` } },
      link,
    );
    const { pid, shimPid, shimStartTicks } = await run.started();
    const other = await twin.started();
    await until('it is up', () => existsSync(up));
    process.kill(link.hello.pid, 'SIGKILL');
    await untilGone(link.hello.pid);
    process.kill(shimPid, 'SIGKILL');
    await untilGone(pid);
    const uid = `${process.getuid?.() ?? 0}`;
    const sweep = (...args: readonly string[]) =>
      spawnSync(rig.binaryPath, ['sweep', ...args], { encoding: 'utf8' });
    /* Another user, a later start, or another lease: nothing is proven, nobody is touched. */
    for (const args of [
      [lease, '64060', `${shimStartTicks}`],
      [lease, uid, `${shimStartTicks + 100_000}`],
      [`${lease}-other`, uid, `${shimStartTicks}`],
    ]) {
      assert.deepEqual(JSON.parse(sweep(...args).stdout), { found: 0, killed: 0, left: 0 });
    }
    const swept = sweep(lease, uid, `${shimStartTicks}`);
    const report = JSON.parse(swept.stdout);
    assert.deepEqual([report.killed > 0, report.left, swept.status], [true, 0, 0]);
    assert.ok(isAlive(other.pid), 'a lease that only begins alike is another one');
    assert.equal(rig.fence.processes().length, 2);
  },
);

nativeTest('T8: a sweep without proper arguments touches nobody', async (rig) => {
  for (const args of [
    [],
    ['short', '0', '0'],
    ['long-enough', 'root', '0'],
    ['long-enough', '0', ''],
    ['long-enough', '-1', '0'],
    ['x'.repeat(200), '0', '0'],
  ]) {
    const result = spawnSync(rig.binaryPath, ['sweep', ...args], { encoding: 'utf8' });
    assert.equal(result.status, 2, args.join(' '));
    assert.equal(result.stdout, '');
  }
});

/*
 * Other users of the machine: those who may not look in (E7), and those a run is given to. Needs root.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { scanJournal } from '@clawdfather/shim';
import type { SecondUserReport, SecondUserTask } from './fixtures/second-user.ts';
import { createRig, type Rig, runIdOf, textOf, untilOutput } from './rig.ts';
import { isAlive, markVariable, seeProcess, statusOf } from './process-table.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root, to be somebody else';
/* Nobody's. */
const uid = 54_321;
const program = fileURLToPath(new URL('./fixtures/second-user.ts', import.meta.url));

function trySecondUser(task: SecondUserTask, mark: string): Promise<SecondUserReport> {
  const args = ['--conditions=@clawdfather/source', program, JSON.stringify(task)];
  const env = { ...process.env, [markVariable]: mark };
  return new Promise((resolve, reject) => {
    /* It ends by a signal, so that nothing of it stays connected. */
    execFile(process.execPath, args, { env }, (error, stdout, stderr) => {
      if (stdout === '') reject(new Error(stderr, { cause: error }));
      else resolve(JSON.parse(stdout) as SecondUserReport);
    });
  });
}

test('E7: a second user can neither read, nor connect, nor supervise', { skip }, async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(rig.sh('echo secret; exec sleep 300'));
  await untilOutput(run, 'secret');
  const runDir = join(rig.stateDir, 'runs', run.runId);
  const cookie = Buffer.from(scanJournal(runDir).header?.cookie ?? []).toString('hex');
  const task = { uid, stateDir: rig.stateDir, runDir, pid: run.pid, cookie };

  const report = await trySecondUser(task, rig.mark);
  assert.equal(report['list'], 'EACCES');
  assert.equal(report['registry'], 'EACCES');
  assert.equal(report['journal'], 'journal-missing');
  assert.equal(report['connect'], 'permission');
  assert.equal(report['supervise'], 'state-dir-unsafe');
  assert.equal(report['signal'], 'EPERM');

  /* Even if the directories are opened to everybody and the cookie is known, the shim asks who it is. */
  for (const path of [rig.stateDir, join(rig.stateDir, 'runs'), runDir]) chmodSync(path, 0o755);
  chmodSync(join(runDir, 's'), 0o777);
  const opened = await trySecondUser(task, rig.mark);
  assert.equal(opened['connect'], 'closed');
  assert.equal(opened['supervise'], 'state-dir-unsafe');
  assert.equal(run.snapshot().state, 'running');
  await run.cancel();
  assert.equal((await run.wait()).reason, 'manual-cancel');
});

for (const mode of ['pipes', 'terminal'] as const) {
  test(`E7: a run given to another user has that user's rights and no others (${mode})`, {
    skip,
  }, async (t) => {
    const rig = createRig(t);
    const supervisor = await rig.supervisor();
    const script = 'id -u; id -g; id -G; cat /etc/shadow; ls ..; echo done';
    const change = { runAs: { uid, gid: uid, groups: [uid, 100] }, cwd: '/' };
    const run = await supervisor.spawn(
      mode === 'pipes' ? rig.sh(script, change) : rig.pty(script, change),
    );
    const exit = await run.wait();
    assert.equal(exit.code, 0);
    const lines = (await textOf(run)).split(/\r?\n/);
    assert.deepEqual(lines.slice(0, 3), [`${uid}`, `${uid}`, `${uid} 100`]);
    assert.ok(lines.some((line) => line.includes('Permission denied')));
  });
}

test('E7: a cancel reaches a run of another user', { skip }, async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(
    rig.sh('setsid sleep 300 & echo up; exec sleep 300', { runAs: { uid, gid: uid }, cwd: '/' }),
  );
  await untilOutput(run, 'up');
  await run.cancel();
  const exit = await run.wait();
  assert.equal(exit.reason, 'manual-cancel');
  assert.deepEqual(exit.survivors, []);
});

test('T8: what a killed shim left of another user is ended too', { skip }, async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const { pid, runId } = await owner.call(
    'spawn',
    rig.sh('setsid sleep 300 & exec sleep 300', { runAs: { uid, gid: uid }, cwd: '/' }),
  );
  const shim = seeProcess(pid)?.parentPid ?? 0;
  const spawnd = seeProcess(shim)?.parentPid ?? 0;
  await owner.kill();
  process.kill(spawnd, 'SIGKILL');
  process.kill(shim, 'SIGKILL');
  await rig.untilGone(shim);
  const supervisor = await rig.supervisor();
  const record = supervisor.get(runIdOf(runId));
  assert.equal(record?.state, 'exited');
  assert.equal(isAlive(pid), false);
  assert.deepEqual(rig.processes(), []);
});

test('T1: a child that became root cannot be killed: it is listed, and its end is awaited', async (t) => {
  const rig = createRig(t);
  if (!canBecomeRoot(rig)) return t.skip('needs root, a second user who can run node, and setuid');
  for (const dir of [rig.stateDir, rig.scratchDir]) chownSync(dir, uid, uid);
  const owner = await rig.owner({ wrap: asSecondUser });
  const script = './setpriv --reuid=0 --regid=0 --clear-groups sleep 300 & echo up; wait';
  const { runId } = await owner.call('spawn', rig.sh(script, { graceMs: 50 }));
  await rig.until(() => survivorOf(rig) !== undefined, 'the child is root');
  await owner.call('cancel', runId);
  const exit = await owner.call('wait', runId);
  assert.equal(exit.reason, 'manual-cancel');
  const [survivor] = exit.survivors;
  assert.equal(survivor?.pid, survivorOf(rig));
  assert.ok(isAlive(survivor?.pid ?? 0));
  assert.equal((await owner.call('get', runId))?.treeEndedAtMs, undefined);
  process.kill(survivor?.pid ?? 0, 'SIGKILL');
  await rig.until(
    () => typeof rig.sql('SELECT tree_ended_at_ms AS at FROM runs')[0]?.['at'] === 'number',
    'its end is recorded',
  );
});

const asSecondUser = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];

/* A setpriv that anybody may use to become root, as su is for those who know the password. */
function canBecomeRoot(rig: Rig): boolean {
  if (process.getuid?.() !== 0) return false;
  const [setpriv = '', ...args] = asSecondUser;
  chmodSync(rig.scratchDir, 0o755);
  const copy = join(rig.scratchDir, 'setpriv');
  copyFileSync(`/usr/bin/${setpriv}`, copy);
  chmodSync(copy, 0o4755);
  const become = [copy, '--reuid=0', '--regid=0', '--clear-groups', 'true'];
  return (
    statusOf(setpriv, ...args, process.execPath, '--check', program) === 0 &&
    statusOf(setpriv, ...args, ...become) === 0
  );
}

/* The one process of the run that is root's. */
function survivorOf(rig: Rig): number | undefined {
  return rig
    .processes()
    .map(({ pid, comm }) => ({ pid, comm }))
    .find(({ pid, comm }) => comm === 'sleep' && statSync(`/proc/${pid}`).uid === 0)?.pid;
}

test('E4: limits of files, time and size hold; those that need a cgroup are refused without one', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const files = await supervisor.spawn(rig.sh('ulimit -n', { limits: { openFiles: 77 } }));
  await files.wait();
  assert.equal(await textOf(files), '77\n');

  const size = await supervisor.spawn(
    rig.sh('head -c 100000 /dev/zero > big', { limits: { fileBytes: 4096 } }),
  );
  const tooBig = await size.wait();
  assert.ok(tooBig.signal === 'SIGXFSZ' || tooBig.code !== 0);

  const time = await supervisor.spawn(rig.sh('while :; do :; done', { limits: { cpuSeconds: 1 } }));
  const tooLong = await time.wait();
  assert.equal(tooLong.reason, 'signal');
  assert.equal(tooLong.signal, 'SIGXCPU');

  for (const limits of [{ memoryBytes: 1 << 30 }, { processes: 10 }]) {
    await assert.rejects(supervisor.spawn(rig.sh('exit 0', { limits })), {
      code: 'limits-unsupported',
    });
  }
  assert.equal(supervisor.list().length, 3, 'what was refused left no record');
  assert.equal(readdirSync(join(rig.stateDir, 'runs')).length, 3);
});

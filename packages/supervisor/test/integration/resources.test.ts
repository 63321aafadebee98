/*
 * Running out of things: space, inodes, descriptors, processes. A spawn fails clearly or output waits, and what runs
 * goes on (J4, S1, S2).
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { hasCode } from '@clawdfather/kit';
import type { SupervisorError } from '@clawdfather/supervisor';
import { bytesOf, createRig, type Rig, untilOutput } from './rig.ts';
import { isAlive, seeProcess, statusOf } from './process-table.ts';

const isRoot = process.getuid?.() === 0;
const canMount = isRoot && statusOf('mount', '--version') === 0;
const skipMount = canMount ? false : 'needs root, to mount a small file system';

/* A rig whose state lies on a tmpfs of this size. */
function rigOn(
  t: TestContext,
  options: string,
): { readonly rig: Rig; readonly fill: () => () => void } {
  const mountPoint = mkdtempSync(join(tmpdir(), 'clf-small-'));
  assert.equal(statusOf('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', mountPoint), 0);
  const rig = createRig(t, {
    stateDir: join(mountPoint, 'state'),
    cleanUp: () => {
      assert.equal(statusOf('umount', mountPoint), 0);
      rmSync(mountPoint, { recursive: true });
    },
  });
  const fill = (): (() => void) => {
    const { bavail, bsize } = statfsSync(mountPoint);
    const path = join(mountPoint, 'ballast');
    writeFileSync(path, Buffer.alloc(Number(bavail) * Number(bsize), 1));
    return () => rmSync(path);
  };
  return { rig, fill };
}

test('J4: on a full disk output waits, the run goes on, and every byte comes when there is space', {
  skip: skipMount,
}, async (t) => {
  const { rig, fill } = rigOn(t, 'size=16m,mode=0700');
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(
    /* More than a pipe holds at its largest, so that the command has to wait too. */
    rig.sh('echo up; read _; i=0; while [ $i -lt 600 ]; do printf "%04096d" $i; i=$((i+1)); done', {
      noOutputTimeoutMs: 20_000,
    }),
  );
  await untilOutput(run, 'up\n');
  const makeRoom = fill();
  await run.write('\n');
  const blocked = await rig.events.until('blocked', ({ isBlocked }) => isBlocked);
  assert.equal(blocked.runId, run.runId);
  assert.ok(isAlive(run.pid));
  makeRoom();
  await rig.events.until('blocked', ({ isBlocked }) => !isBlocked);
  const exit = await run.wait();
  assert.equal(exit.reason, 'exit');
  assert.equal((await bytesOf(run.output())).length, 3 + 600 * 4096);
});

test('J4: a run can end on a full disk: its exit was given space beforehand', {
  skip: skipMount,
}, async (t) => {
  const { rig, fill } = rigOn(t, 'size=4m,mode=0700');
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(rig.sh('echo up; read _; exit 11'));
  await untilOutput(run, 'up\n');
  const makeRoom = fill();
  await run.write('\n');
  const exit = await run.wait();
  assert.equal(exit.code, 11, 'the journal has it, whatever the registry can take');
  makeRoom();
  await rig.until(() => supervisor.get(run.runId)?.state === 'exited', 'the registry catches up');
  assert.equal(supervisor.get(run.runId)?.exit?.code, 11);
});

test('S1: a spawn on a full disk fails clearly and leaves nothing, and works again later', {
  skip: skipMount,
}, async (t) => {
  const { rig, fill } = rigOn(t, 'size=4m,mode=0700');
  const supervisor = await rig.supervisor();
  const running = await supervisor.spawn(rig.sh('echo up; exec sleep 300'));
  await untilOutput(running, 'up\n');
  const makeRoom = fill();
  await assert.rejects(supervisor.spawn(rig.sh('echo started >> lines')), (error) => {
    assert.ok(hasCode(error, 'registry-full') || hasCode(error, 'spawn-failed'), String(error));
    return true;
  });
  assert.ok(isAlive(running.pid), 'what runs goes on');
  makeRoom();
  const later = await supervisor.spawn(rig.sh('exit 2'));
  assert.equal((await later.wait()).code, 2);
  await running.cancel();
  await running.wait();
});

test('S1: a supervisor that cannot open its registry leaves nothing open', {
  skip: skipMount,
}, async (t) => {
  const { rig, fill } = rigOn(t, 'size=4m,mode=0700');
  await (await rig.supervisor()).close();
  const makeRoom = fill();
  await assert.rejects(rig.supervisor(), { code: /^registry-(full|failed)$/ });
  makeRoom();
  await rig.supervisor();
});

test('S1: without inodes a spawn fails clearly', { skip: skipMount }, async (t) => {
  const { rig } = rigOn(t, 'size=4m,nr_inodes=14,mode=0700');
  const supervisor = await rig.supervisor();
  const files: string[] = [];
  for (let index = 0; ; index += 1) {
    const path = join(rig.stateDir, `inode-${index}`);
    try {
      mkdirSync(path);
    } catch {
      break; /* that was the last one */
    }
    files.push(path);
  }
  await assert.rejects(supervisor.spawn(rig.sh('exit 0')), {
    code: 'registry-full',
    message: /no inode left/,
  });
  for (const path of files) rmSync(path, { recursive: true });
  assert.equal((await (await supervisor.spawn(rig.sh('exit 2'))).wait()).code, 2);
});

test('S2: an owner without descriptors says so, and starts runs again when it has some', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner({ wrap: ['prlimit', '--nofile=64:64'] });
  await owner.call('hoardDescriptors');
  await assert.rejects(owner.call('spawn', rig.sh('exit 0')), { code: 'spawn-failed' });
  await owner.call('releaseDescriptors');
  const later = await owner.call('spawn', rig.sh('exit 4'));
  assert.equal((await owner.call('wait', later.runId)).code, 4);
  await owner.call('hoardDescriptors');
  const through = await owner.call('spawn', rig.sh('exit 5'));
  assert.equal((await owner.call('wait', through.runId)).code, 5, 'its spawnd has its own');
});

test('O5: a run directory that cannot be read for want of descriptors is no evidence', async (t) => {
  const rig = createRig(t);
  const watcher = await rig.owner({ wrap: ['prlimit', '--nofile=64:64'] });
  const owner = await rig.owner();
  const { runId, pid } = await owner.call('spawn', rig.sh('exec sleep 300'));
  await owner.kill();
  rig.sql('UPDATE owners SET lease_expires_at_ms = 1 WHERE pid = ?', owner.pid);
  await watcher.call('hoardDescriptors');
  const [blind] = await watcher.call('reconcile');
  assert.equal(blind?.decision, 'unverifiable');
  assert.equal(rig.sql('SELECT state FROM runs')[0]?.['state'], 1);
  assert.ok(isAlive(pid));
  await watcher.call('releaseDescriptors');
  const [seeing] = await watcher.call('reconcile');
  assert.equal(seeing?.decision, 'adopted');
  await watcher.call('cancel', runId);
  assert.equal((await watcher.call('wait', runId)).reason, 'manual-cancel');
});

const injector = 'strace';

/* Makes these calls of a process fail for as long as the test wants. */
async function injecting<Result>(
  pid: number,
  args: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  const strace = spawn(injector, [...args, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = once(strace, 'exit');
  for await (const line of createInterface({ input: strace.stderr })) {
    if (line.includes('attached')) break;
  }
  try {
    return await work();
  } finally {
    strace.kill('SIGINT');
    await gone;
  }
}

const skipStrace = statusOf('strace', '-o', '/dev/null', 'true') === 0 ? false : 'needs strace';

for (const [where, args] of [
  ['spawnd', ['-e', 'inject=fork,vfork,clone,clone3:error=EAGAIN']],
  ['the shim', ['-f', '-e', 'inject=clone,clone3:error=EAGAIN']],
] as const) {
  test(`S2: EAGAIN on fork in ${where} is a failed spawn with its errno`, {
    skip: skipStrace,
  }, async (t) => {
    const rig = createRig(t);
    const supervisor = await rig.supervisor();
    const first = await supervisor.spawn(rig.sh('exec sleep 300'));
    const spawnd = seeProcess(seeProcess(first.pid)?.parentPid ?? 0)?.parentPid ?? 0;
    const error = await injecting(spawnd, args, () =>
      supervisor.spawn(rig.sh('echo started >> lines')).catch((reason: unknown) => reason),
    );
    assert.ok(hasCode(error, 'spawn-failed'), String(error));
    assert.equal((error as SupervisorError).detail?.['errno'], 11);
    const [record] = supervisor.list({ states: ['exited'] });
    assert.equal(record?.exit?.reason, 'spawn-error');
    assert.ok(isAlive(first.pid));
    assert.equal((await (await supervisor.spawn(rig.sh('exit 3'))).wait()).code, 3);
    await first.cancel();
    await first.wait();
    assert.equal(existsSync(join(rig.scratchDir, 'lines')), false);
  });
}

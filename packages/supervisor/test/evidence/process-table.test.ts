/*
 * The real process table: present, zombie, absent, hidden (O5). Absence is proven
 * by the kernel and never by /proc alone.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execPath, getuid, pid } from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readHost } from '../../src/evidence/host.ts';
import { createProcProcessTable } from '../../src/evidence/process-table.ts';
import { startChild } from '../child-process.ts';
import { tempDir } from '../registry/registry-rig.ts';

const table = createProcProcessTable();

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

test('a living process is found, with the start time that tells it from others', () => {
  const reading = table.read(pid);
  assert.ok(reading.kind === 'found');
  assert.equal(reading.stat.startTicks, readHost().startTicks);
  assert.equal(reading.isZombie, false);
});

test('a process that is gone is absent', async () => {
  const child = spawn('/bin/true');
  await once(child, 'exit');
  assert.ok(child.pid);
  assert.deepEqual(table.read(child.pid), { kind: 'absent' });
});

test('a zombie is found, as a zombie', async (t) => {
  const script = 'cat <&3 & echo $!; exec sleep 60';
  const parent = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  t.after(() => end(parent));
  const [line] = (await once(parent.stdout as Readable, 'data')) as [Buffer];
  const child = Number(line.toString());
  // The child ends only once `exec` has replaced the shell, which would have waited for it.
  while (readFileSync(`/proc/${parent.pid}/comm`, 'utf8') !== 'sleep\n') await setImmediate();
  (parent.stdio[3] as Writable).end();
  for (;;) {
    const reading = table.read(child);
    assert.ok(reading.kind === 'found');
    if (reading.isZombie) break;
    await setImmediate();
  }
});

test('the lease id is read exactly, from the environment and from nowhere else', async (t) => {
  const env = { CLAWDFATHER_LEASE_ID: 'lease 1=2', NOT_CLAWDFATHER_LEASE_ID: 'x' };
  const child = spawn('/bin/sleep', ['60'], { env, stdio: 'ignore' });
  t.after(() => end(child));
  await once(child, 'spawn');
  assert.ok(child.pid);
  assert.equal(table.leaseIdOf(child.pid), 'lease 1=2');
  const without = spawn('/bin/sleep', ['60'], { env: {}, stdio: 'ignore' });
  t.after(() => end(without));
  await once(without, 'spawn');
  assert.ok(without.pid);
  assert.equal(table.leaseIdOf(without.pid), undefined);
});

test('O5: what hidepid hides is unreadable, never absent', async (t) => {
  if (getuid?.() !== 0) return t.skip('mounting needs root');
  const mount = join(await tempDir(t), 'proc');
  await mkdir(mount);
  execFileSync('/bin/chmod', ['755', join(mount, '..')]);
  execFileSync('/bin/mount', ['-t', 'proc', '-o', 'hidepid=2', 'proc', mount]);
  try {
    const program = fileURLToPath(new URL('../fixtures/evidence/read-process.ts', import.meta.url));
    const args = ['--conditions=@clawdfather/source', program, mount, String(pid)];
    const output = execFileSync(execPath, args, { uid: 65_534, gid: 65_534 });
    const [ours, gone] = JSON.parse(output.toString()) as { kind: string; why?: string }[];
    assert.equal(ours?.kind, 'unreadable');
    assert.match(ours?.why ?? '', /hidden/);
    assert.equal(gone?.kind, 'absent');
  } finally {
    execFileSync('/bin/umount', ['-l', mount]);
  }
  return undefined;
});

test('a /proc that cannot be read makes everything unverifiable, and the host unknown', async (t) => {
  const empty = await tempDir(t);
  assert.equal(createProcProcessTable(empty).read(pid).kind, 'unreadable');
  assert.throws(() => readHost(empty), { code: 'proc-unreadable' });
});

test('a /proc of another pid namespace is refused', async (t) => {
  if (getuid?.() !== 0) return t.skip('a pid namespace needs root');
  const script = new URL('../fixtures/evidence/print-host.ts', import.meta.url);
  const args = ['--conditions=@clawdfather/source', fileURLToPath(script)];
  // A new namespace that still sees the old /proc: every pid in it means somebody else.
  const run = () =>
    execFileSync('/usr/bin/unshare', ['--fork', '--pid', execPath, ...args], { stdio: 'pipe' });
  assert.throws(run, /proc-unreadable/);
  const child = startChild(t, script);
  const host = JSON.parse(await child.line()) as { pidNamespace: number };
  assert.equal(host.pidNamespace, readHost().pidNamespace);
  return undefined;
});

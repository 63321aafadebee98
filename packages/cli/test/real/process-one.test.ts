/*
 * E1: `serve` as process 1 of a pid namespace, which is what a container gives it: it runs under an init that reaps orphans,
 * passes signals on and ends as it does.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCliRig, launcherPath } from '../support/cli-process.ts';

const canUnshare = spawnSync('unshare', ['-fp', '--mount-proc', 'true']).status === 0;

test('E1: as process 1 it has an init above it, leaves no zombie, and ends when told to', {
  skip: canUnshare ? false : 'no pid namespaces here',
  timeout: 60_000,
}, async (context) => {
  const rig = createCliRig(context);
  const child = spawn(
    'unshare',
    [
      '-fp',
      '--mount-proc',
      '--kill-child',
      process.execPath,
      launcherPath,
      'serve',
      '--json',
      '--log',
      'off',
      '--listen',
      '127.0.0.1:0',
    ],
    { env: rig.env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  context.after(() => child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { pid } = JSON.parse(line.toString()) as { pid: number };
  assert.notEqual(pid, 1, 'inside the namespace, where pids count from 1');

  const [init = 0] = childrenOf(child.pid ?? 0);
  assert.equal(nameOf(init), 'clf-init');
  // An orphan of the namespace: its parent ends first, so it belongs to process 1, and ends then.
  const orphan = 'sleep 0.05 & echo started';
  const entered = spawnSync('nsenter', ['-t', String(init), '-p', '-m', 'sh', '-c', orphan], {
    encoding: 'utf8',
  });
  assert.equal(entered.stdout, 'started\n', entered.stderr);
  const adopted = () => childrenOf(init).filter((one) => nameOf(one) === 'sleep');
  // A zombie is still its child, and would keep us here.
  while (adopted().length > 0) await new Promise((resolve) => setImmediate(resolve));
  process.kill(init, 'SIGTERM');
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
});

function childrenOf(pid: number): number[] {
  const text = readFileSync(join('/proc', String(pid), 'task', String(pid), 'children'), 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}

function nameOf(pid: number): string {
  return /\((.*)\)/.exec(statOf(pid))?.[1] ?? '';
}

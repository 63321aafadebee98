/*
 * The processes of masters, for tests that end them: ssh itself, and the shim that holds it.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { untilTrue } from './host-world.ts';

/* Of a gateway with this state directory. */
export function mastersIn(stateDir: string): readonly number[] {
  const base = join(stateDir, 'ssh');
  return readdirSync('/proc')
    .filter((entry) => /^[0-9]+$/.test(entry))
    .filter((pid) => {
      const words = read(`/proc/${pid}/cmdline`).split('\0');
      return words[0]?.endsWith('/ssh') === true && words.some((word) => word.startsWith(base));
    })
    .map(Number);
}

/* The one that there is, as a lack of memory would do it. */
export async function killMasters(stateDir: string): Promise<void> {
  const [pid = 0, ...others] = mastersIn(stateDir);
  assert.ok(pid > 0 && others.length === 0, 'one master is there');
  await killProcess(pid);
}

/* First its shim, which would see the end of ssh, then ssh. */
export async function killMasterAndShim(stateDir: string): Promise<void> {
  const [pid = 0] = mastersIn(stateDir);
  const parent = /^PPid:\s*([0-9]+)$/m.exec(read(`/proc/${pid}/status`))?.[1];
  assert.ok(pid > 0 && Number(parent) > 1);
  await killProcess(Number(parent));
}

/* What serves the connections of an sshd; the processes of its sessions live on. */
export async function killConnections(sshdPid: number): Promise<void> {
  const isChild = (pid: string): boolean =>
    read(`/proc/${pid}/status`).includes(`\nPPid:\t${sshdPid}\n`);
  for (const pid of readdirSync('/proc').filter(isChild)) await killProcess(Number(pid));
}

async function killProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await untilTrue(() => read(`/proc/${pid}/cmdline`) === '');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

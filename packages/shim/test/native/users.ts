/*
 * Other users for tests, and what only root may look at. The ids belong to nobody.
 */
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
} from 'node:fs';
import { join } from 'node:path';
import type { SpawndLink } from '../../src/index.ts';
import type { ProgramOptions, Rig } from './rig.ts';

export function asUser(uid: number): readonly string[] {
  return ['setpriv', '--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups'];
}

export async function spawndOf(
  rig: Rig,
  uid: number,
  { wrap = [], env = {} }: ProgramOptions = {},
): Promise<SpawndLink> {
  chmodSync(rig.dir, 0o755);
  return await rig.newSpawnd({ wrap: [...asUser(uid), ...wrap], env });
}

/* A run directory: only the user that owns it may claim the run. */
export function runDirOf(rig: Rig, uid: number, name = 'run'): string {
  const dir = join(rig.dir, `${name}-of-${uid}`);
  chmodSync(rig.dir, 0o755);
  mkdirSync(dir, { mode: 0o700 });
  chownSync(dir, uid, uid);
  return dir;
}

/* All that a process has written to its memory: heap, stack, data. */
export function memoryOf(pid: number): Buffer {
  const maps = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n');
  const fd = openSync(`/proc/${pid}/mem`, 'r');
  try {
    return Buffer.concat(maps.flatMap((line) => readWritable(fd, line)));
  } finally {
    closeSync(fd);
  }
}

function readWritable(fd: number, line: string): readonly Buffer[] {
  const match = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line);
  if (match === null) return [];
  const from = Number.parseInt(match[1] ?? '', 16);
  const bytes = Buffer.alloc(Number.parseInt(match[2] ?? '', 16) - from);
  try {
    return [bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, from))];
  } catch {
    return []; /* The kernel's own pages. */
  }
}

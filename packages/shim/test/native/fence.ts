/*
 * Knows every process that a test started, however it hid: a cgroup of the test's own, which descendants cannot
 * leave. Where there is none to be had, a mark in the environment, which a child may clear.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '@clawdfather/kit';

export interface Fence {
  /* Lines of shell that put `$$` behind the fence. */
  readonly enterScript: string;
  /* For the environment of commands. */
  readonly mark: string;
  /* The directory, for tests that make cgroups of their own in it. */
  readonly cgroupDir: string | undefined;
  /* Living processes, as `pid (name)`. */
  processes(): readonly string[];
  /* False: not yet. */
  remove(): boolean;
}

let count = 0;

function cgroup2Mount(): string | undefined {
  const line = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .find((text) => text.split(' ')[2] === 'cgroup2');
  return line?.split(' ')[1];
}

export function createFence(): Fence {
  count += 1;
  const mark = `clf-native-${process.pid}-${count}`;
  const mount = cgroup2Mount();
  const dir = mount === undefined ? undefined : tryMakeDir(join(mount, mark));
  return {
    enterScript: dir === undefined ? '' : `echo $$ > ${dir}/cgroup.procs || exit 1`,
    mark,
    cgroupDir: dir,
    processes: () => (dir === undefined ? processesWithMark(mark) : processesIn(dir)),
    remove: () => dir === undefined || !existsSync(dir) || isRemoved(dir),
  };
}

function tryMakeDir(dir: string): string | undefined {
  try {
    mkdirSync(dir);
    return dir;
  } catch {
    return undefined; /* Not root, or not delegated: the mark must do. */
  }
}

function processesIn(dir: string): readonly string[] {
  if (!existsSync(dir)) return [];
  const here = readFileSync(join(dir, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean);
  return [...here.map(describe), ...subdirs(dir).flatMap(processesIn)];
}

/* A process that ends is off the list a moment before the kernel lets go of its cgroup. */
function isRemoved(dir: string): boolean {
  try {
    removeTree(dir);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EBUSY') return false;
    throw error;
  }
}

function removeTree(dir: string): void {
  for (const subdir of subdirs(dir)) removeTree(subdir);
  rmdirSync(dir);
}

function subdirs(dir: string): readonly string[] {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(dir, entry.name));
}

function processesWithMark(mark: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && readOrEmpty(`/proc/${name}/environ`).includes(mark))
    .map(describe);
}

function describe(pid: string): string {
  return `${pid} (${readOrEmpty(`/proc/${pid}/comm`).trim()})`;
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; /* Gone, or not ours to look at. */
  }
}

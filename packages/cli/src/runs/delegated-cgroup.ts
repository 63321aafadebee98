/*
 * The cgroup v2 directory under which runs can have limits of memory and
 * processes (E4): the nearest one above us that is ours to divide.
 *
 * Our own never is: the kernel gives controllers to the children of a cgroup only
 * while it holds no processes itself, and it holds us. Above it, a systemd user
 * manager has slices that belong to the user, with the controllers switched on.
 */
import { dirname, join } from 'node:path';

export interface CgroupFacts {
  readText(path: string): string | undefined;
  isWritable(path: string): boolean;
}

const controllers = ['memory', 'pids'];

export function findDelegatedCgroup(facts: CgroupFacts): string | undefined {
  const own = /^0::(\/.*)$/m.exec(facts.readText('/proc/self/cgroup') ?? '')?.[1];
  const mount = cgroup2Mount(facts);
  if (own === undefined || mount === undefined) return undefined;
  for (let path = own; ; path = dirname(path)) {
    const directory = join(mount, path);
    if (isDelegated(facts, directory)) return directory;
    if (path === '/') return undefined;
  }
}

export function hasCgroup2(facts: CgroupFacts): boolean {
  return cgroup2Mount(facts) !== undefined;
}

function isDelegated(facts: CgroupFacts, directory: string): boolean {
  const enabled = (facts.readText(join(directory, 'cgroup.subtree_control')) ?? '').split(/\s+/);
  return (
    controllers.every((name) => enabled.includes(name)) &&
    facts.isWritable(directory) &&
    facts.isWritable(join(directory, 'cgroup.procs'))
  );
}

function cgroup2Mount(facts: CgroupFacts): string | undefined {
  const lines = (facts.readText('/proc/self/mounts') ?? '').split('\n');
  return lines.map((line) => line.split(' ')).find((fields) => fields[2] === 'cgroup2')?.[1];
}

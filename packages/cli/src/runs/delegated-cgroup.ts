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
  readonly userId: number;
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

export interface NoCgroup {
  readonly summary: string;
  readonly advice: string;
}

const more = 'See docs/install.md, "Limits of memory and processes".';

/* What is missing where none was found, and what helps on this machine. */
export function explainNoCgroup(facts: CgroupFacts): NoCgroup {
  const mount = cgroup2Mount(facts);
  if (mount === undefined) {
    return { summary: 'this machine has no cgroup v2', advice: `Nothing in clf can help. ${more}` };
  }
  const there = (facts.readText(join(mount, 'cgroup.controllers')) ?? '').split(/\s+/);
  const missing = controllers.filter((name) => !there.includes(name));
  if (missing.length > 0) {
    return {
      summary: `cgroup v2 has no control of ${missing.join(' and ')} here; cgroup v1 may have it, or the container gives none`,
      advice: `Nothing in clf can help. ${more}`,
    };
  }
  const summary = 'no cgroup with memory and pids is delegated to this user';
  if (facts.isWritable(`/run/user/${facts.userId}/bus`)) {
    return { summary, advice: `With systemd: systemd-run --user --scope clf run … ${more}` };
  }
  return {
    summary: `${summary}, and no systemd of this user answers (no /run/user/${facts.userId}/bus)`,
    advice: `A login session of the user has one (ssh, not su or sudo). ${more}`,
  };
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

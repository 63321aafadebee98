/*
 * The processes of this machine, as far as /proc shows them to us, and who of them has a socket open.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { hasErrno } from '@clawdfather/kit';

export interface SeenProcess {
  readonly pid: number;
  /* 0: it has none that could be seen from this pid namespace. */
  readonly parentPid: number;
  /* What it calls itself. */
  readonly name: string;
  /* `no_new_privs`: it is inherited and never taken back. Every command in a shield has it; few others do. */
  readonly gainsNothing: boolean;
}

export type SeenProcesses = ReadonlyMap<number, SeenProcess>;

export function readProcesses(): SeenProcesses {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return new Map(
    pids.flatMap((pid) => {
      const seen = readProcess(Number(pid));
      return seen === undefined ? [] : [[seen.pid, seen]];
    }),
  );
}

/* Undefined: gone, dead and not yet buried by its parent, or hidden from us. */
export function readProcess(pid: number): SeenProcess | undefined {
  let status: string;
  try {
    // The kernel escapes line breaks in names, so no name looks like another field.
    status = readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch {
    return undefined;
  }
  const field = (name: string): string =>
    new RegExp(`^${name}:\t(.*)$`, 'm').exec(status)?.[1] ?? '';
  // Of a process whose first thread has ended, others may live, with its files.
  if (/^[ZX]/.test(field('State')) && Number(field('Threads')) <= 1) return undefined;
  return {
    pid,
    parentPid: Number(field('PPid')),
    name: field('Name'),
    gainsNothing: field('NoNewPrivs') !== '0',
  };
}

/* `hidden`: it does not let us look, or has more open than we look at. */
export type Holding = 'holds' | 'holds-not' | 'hidden';

/* A process with more has them to keep us busy. Ten times the usual limit of one. */
const linksMax = 10_240 * 10;

/* Each thread may have open files of its own; few programs do so, and only who hides something gains by it. */
export function holdingOf(
  pid: number,
  inodes: ReadonlySet<string>,
  threads: 'all' | 'first' = 'all',
): Holding {
  const names = new Set([...inodes].map((inode) => `socket:[${inode}]`));
  const tasks = threads === 'first' ? [pid] : (listed(`/proc/${pid}/task`) ?? []);
  let left = linksMax;
  let isHidden = false;
  for (const task of tasks) {
    const directory = `/proc/${pid}/task/${task}/fd`;
    const links = listed(directory);
    if (links === undefined) isHidden = true;
    for (const link of links ?? []) {
      left -= 1;
      if (left < 0) return 'hidden';
      if (names.has(targetOf(`${directory}/${link}`))) return 'holds';
    }
  }
  return isHidden ? 'hidden' : 'holds-not';
}

/* Undefined: not for us to see. What is gone has nothing. */
function listed(directory: string): readonly string[] | undefined {
  try {
    return readdirSync(directory);
  } catch (error) {
    return hasErrno(error, 'EACCES', 'EPERM') ? undefined : [];
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    // It was closed meanwhile, and what is asked for is held.
    return '';
  }
}

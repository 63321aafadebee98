/*
 * How much memory of this machine new processes could have: what the kernel says is available, or what the control groups around this
 * process have left, if that is less. A file cache that can be dropped counts as available in both.
 *
 * Where none of it can be read, such as in another container runtime's view of /proc, nothing is known, and memory is no reason to wait.
 */
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';

export type ReadText = (path: string) => Promise<string>;

const readText: ReadText = (path) => readFile(path, 'utf8');

export async function availableMemory(read: ReadText = readText): Promise<number | undefined> {
  const found = [await ofMachine(read), ...(await ofGroups(read))].filter(
    (bytes) => bytes !== undefined,
  );
  return found.length === 0 ? undefined : Math.max(0, Math.min(...found));
}

async function ofMachine(read: ReadText): Promise<number | undefined> {
  const [, kibibytes] =
    /^MemAvailable:\s+(\d+) kB$/m.exec((await tryRead(read, '/proc/meminfo')) ?? '') ?? [];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

const groupsRoot = '/sys/fs/cgroup';

/* Every group from ours up to the root may have a limit of its own (version 2). */
async function ofGroups(read: ReadText): Promise<readonly (number | undefined)[]> {
  const [, own] = /^0::(\/.*)$/m.exec((await tryRead(read, '/proc/self/cgroup')) ?? '') ?? [];
  if (own === undefined) return [];
  const found: (number | undefined)[] = [];
  for (let group = posix.normalize(own); ; group = posix.dirname(group)) {
    found.push(await ofGroup(read, join(groupsRoot, group)));
    if (group === '/' || !group.startsWith('/')) return found;
  }
}

/* Undefined: it has no limit. */
async function ofGroup(read: ReadText, directory: string): Promise<number | undefined> {
  const limit = Number(await tryRead(read, join(directory, 'memory.max')));
  const used = Number(await tryRead(read, join(directory, 'memory.current')));
  // `max` is no number, and neither is a file that is not there.
  if (!(limit > 0) || Number.isNaN(used)) return undefined;
  const stat = (await tryRead(read, join(directory, 'memory.stat'))) ?? '';
  const [, cached = '0'] = /^inactive_file (\d+)$/m.exec(stat) ?? [];
  return limit - used + Number(cached);
}

async function tryRead(read: ReadText, path: string): Promise<string | undefined> {
  try {
    return await read(path);
  } catch {
    // Not on this kernel, or not for us.
    return undefined;
  }
}

/*
 * A Unix user of this machine for the length of a test, with a home of its own. Needs root, and leaves nothing.
 */
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chownSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

export interface UnixUser extends AsyncDisposable {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/* For `skip`: false, or why not. */
export const cannotMakeUsers = process.getuid?.() === 0 ? false : 'needs root, to make a user';

const run = promisify(execFile);
/* Another test holds the lock of the system's list of users for a moment. */
const locked = [1, 10];
const attemptsMax = 100;
const againMs = 100;

/* `groups`: names of groups that it is in beside its own. */
export async function makeUnixUser(groups: readonly string[] = []): Promise<UnixUser> {
  const home = await mkdtemp(join(tmpdir(), 'clf-home-'));
  const name = `clf-${home.slice(-6).toLowerCase()}-${process.pid}`;
  const more = groups.length === 0 ? [] : ['--groups', groups.join(',')];
  await edit('useradd', [
    '--uid',
    String(unusedUid()),
    '--no-create-home',
    '--home-dir',
    home,
    '--shell',
    '/bin/sh',
    ...more,
    name,
  ]);
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => idOf(name, flag)));
  if (uid === undefined || gid === undefined) throw new Error(`${name} has no id`);
  chownSync(home, uid, gid);
  return {
    name,
    uid,
    gid,
    home,
    [Symbol.asyncDispose]: async () => {
      await untilGone(uid);
      // Forced, because a dead process that nobody has waited for counts as one that uses it.
      await edit('userdel', ['--force', name]);
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function edit(program: string, args: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await run(program, [...args], { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } });
      return;
    } catch (error) {
      const { code } = error as { readonly code?: number };
      if (!locked.includes(code ?? 0) || attempt === attemptsMax) throw error;
      await setTimeout(againMs);
    }
  }
}

/* Not the next number, which another test's user may have had a moment ago: what is left of that one would count as this one's. */
function unusedUid(): number {
  for (;;) {
    const uid = randomInt(20_000, 50_000);
    if (livingProcessesOf(uid).length === 0) return uid;
  }
}

/* A run has ended a moment before the last of its processes is gone. */
async function untilGone(uid: number): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const left = livingProcessesOf(uid);
    if (left.length === 0) return;
    if (attempt === attemptsMax) throw new Error(`the user still has: ${left.join('; ')}`);
    await setTimeout(againMs);
  }
}

function livingProcessesOf(uid: number): readonly string[] {
  return readdirSync('/proc').flatMap((pid) => {
    const [, state] = /^State:\t(.)/m.exec(readProcess(pid, 'status')) ?? [];
    const [, ids] = /^Uid:\t(.*)$/m.exec(readProcess(pid, 'status')) ?? [];
    const isTheirs = ids?.split('\t').includes(String(uid)) === true;
    if (!isTheirs || state === 'Z') return [];
    return [`${pid} (${readProcess(pid, 'cmdline').split('\0').join(' ').trim()})`];
  });
}

/* Empty: there is no such process, or not any more. */
function readProcess(pid: string, file: 'status' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

async function idOf(name: string, flag: string): Promise<number> {
  return Number((await run('id', [flag, name])).stdout);
}

/*
 * A Unix user by its name, as the system's own databases tell: files, LDAP, whatever the machine is set up with. Node has no call
 * for it, so the system's `getent` and `id` are asked, by absolute paths.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { promisify } from 'node:util';
import type { HostUser } from '@clawdfather/supervisor';

export type FoundUser = Omit<HostUser, 'temporaryDirectory'>;

const run = promisify(execFile);

/* As `useradd` takes them. A dash in front would be an option, digits alone a number. */
const namePattern = /^[a-z_][a-z0-9_.-]{0,31}\$?$/i;
const programDirectories: readonly string[] = ['/usr/bin', '/bin'];
/* A directory service that does not answer must not keep a gateway from starting or from saying why it does not. */
const lookupMs = 10_000;
const usualShell = '/bin/sh';

/* Undefined: there is no such user. */
export async function findHostUser(name: string): Promise<FoundUser | undefined> {
  if (!namePattern.test(name)) return undefined;
  const line = await ask('getent', ['passwd', name]);
  const [found, , uid, gid, , home, shell] = line?.trim().split(':') ?? [];
  // The name as it was asked for: some services know several for one user.
  if (found !== name || !isNumber(uid) || !isNumber(gid)) return undefined;
  const groups = (await ask('id', ['-G', name]))?.trim().split(' ').filter(isNumber).map(Number);
  return {
    name,
    uid: Number(uid),
    gid: Number(gid),
    groups: groups ?? [],
    home: home || '/',
    shell: shell?.trim() || usualShell,
  };
}

function isNumber(text: string | undefined): text is string {
  return text !== undefined && /^\d{1,10}$/.test(text);
}

/* Undefined: it found nothing, which both say with a status of their own. */
async function ask(program: string, args: readonly string[]): Promise<string | undefined> {
  const path = programDirectories
    .map((directory) => `${directory}/${program}`)
    .find((candidate) => isProgram(candidate));
  if (path === undefined) throw new Error(`${program} is not in ${programDirectories.join(', ')}`);
  try {
    const { stdout } = await run(path, [...args], { env: { LC_ALL: 'C' }, timeout: lookupMs });
    return stdout;
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'number') {
      return undefined;
    }
    throw error;
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not there, which the next place is asked about.
    return false;
  }
}

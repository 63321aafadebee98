/*
 * Makes what is missing in a person's home and what a login, a shell or a service would use: a mount needs a place, and what is not there could be
 * made by the command.
 *
 * A shell makes it, as the user whose home it is. As root we would follow that user's links, and give them what is at their ends.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ShieldUser } from './shield-facts.ts';
import { madeDirectories, type StartupFile, startupFiles } from './shield-places.ts';

export interface MissingQuestion {
  readonly home: string;
  readonly user: ShieldUser;
  /* For the programs of the shell. */
  readonly searchPath: string;
}

const run = promisify(execFile);
/* A home on a disk that does not answer. */
const limitMs = 10_000;

/* Nothing is made in a home that is not there, or not to be written to. A file that has come since is left as it is. */
const script = `cd -- "$1" 2>/dev/null && [ -w . ] || exit 0
shift
set -C
umask 077
while [ $# -gt 1 ]; do
  if [ -z "$2" ]; then mkdir -p -- "$1" || exit
  elif ! [ -e "$1" ] && ! [ -L "$1" ]; then printf %s "$2" > "$1" || exit
  fi
  shift 2
done`;

export async function makeMissing({ home, user, searchPath }: MissingQuestion): Promise<void> {
  const isOurs = ({ program }: { readonly program?: string }): boolean =>
    program === undefined || isInstalled(program);
  const wanted: readonly Pick<StartupFile, 'path' | 'text'>[] = [
    ...madeDirectories.filter(isOurs).map(({ path }) => ({ path, text: '' })),
    ...startupFiles.filter(isOurs),
  ];
  const found = await Promise.all(wanted.map(({ path }) => isThere(join(home, path))));
  const missing = wanted.filter((_, index) => found[index] === false);
  if (missing.length === 0) return;
  const words = missing.flatMap(({ path, text }) => [path, text]);
  const { uid, gid } = user;
  const other = uid === process.getuid?.() ? {} : { uid, gid };
  await run('/bin/sh', ['-c', script, 'sh', home, ...words], {
    ...other,
    cwd: '/',
    env: { PATH: `${searchPath}:/usr/bin:/bin` },
    timeout: limitMs,
  }).catch(failed);
}

function failed(cause: Error & { readonly stderr?: unknown; readonly killed?: boolean }): never {
  const said = cause.killed === true ? 'the home directory does not answer' : String(cause.stderr);
  throw new Error(said.trim(), { cause });
}

/* A link that leads nowhere is there, too. */
async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}

function isInstalled(program: string): boolean {
  return ['/bin', '/usr/bin', '/usr/local/bin', '/usr/sbin'].some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/*
 * Checks of the state directory, without opening or changing it: the supervisor
 * would mend or refuse what is looked at here.
 */
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { findUnsafe, type Unsafe } from '@clawdfather/kit/files';
import type { Finding } from './finding.ts';

export interface DirectoryFacts {
  readonly isDirectory: boolean;
  readonly isLink: boolean;
  readonly uid: number;
  readonly mode: number;
  /* What leads to it, where another user could exchange it. */
  readonly unsafeAbove: Unsafe | undefined;
}

export async function readDirectory(path: string): Promise<DirectoryFacts | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  return {
    isDirectory: found.isDirectory(),
    isLink: found.isSymbolicLink(),
    uid: found.uid,
    mode: found.mode & 0o777,
    unsafeAbove: findUnsafe(dirname(path)),
  };
}

export function checkStateDir(
  path: string,
  facts: DirectoryFacts | undefined,
  uid: number | undefined,
): Finding {
  const check = 'state-dir';
  if (facts === undefined) {
    return { check, status: 'info', summary: `${path} is not there yet; the first run makes it` };
  }
  const own = 'Use a directory of your own: CLAWDFATHER_STATE_DIR or --state-dir.';
  const fail = (why: string, advice = own): Finding => {
    return { check, status: 'fail', summary: `${path} ${why}`, advice };
  };
  if (facts.isLink) return fail('is a symbolic link');
  if (!facts.isDirectory) return fail('is not a directory');
  if (uid !== undefined && facts.uid !== uid) return fail(`belongs to user ${facts.uid}`);
  const { unsafeAbove } = facts;
  if (unsafeAbove !== undefined) {
    return fail(`could be exchanged: ${unsafeAbove.path}: ${unsafeAbove.why}`, unsafeAbove.cure);
  }
  if ((facts.mode & 0o077) !== 0) {
    return {
      check,
      status: 'warn',
      summary: `${path} is open to others (mode ${facts.mode.toString(8)})`,
      advice: 'The next run closes it; what was in it may have been read.',
    };
  }
  return { check, status: 'ok', summary: path };
}

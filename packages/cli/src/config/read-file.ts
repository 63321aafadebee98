/*
 * The config file from the disk, if it can be trusted.
 *
 * It says what agents may start, so whoever can change it can start anything: it has
 * to belong to us or to root, and no other user may write to it or to a directory on
 * the way to it. A link is followed (people keep their files elsewhere) if it is ours
 * or root's, and so is everything that it leads through. The file is opened first and asked then, so that it cannot be
 * exchanged in between.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { geteuid } from 'node:process';
import type { Stats } from 'node:fs';
import { errnoOf } from '@clawdfather/kit';
import { findUnsafe, shellWord, type Unsafe } from '@clawdfather/kit/files';
import { CliError } from '../errors.ts';

/* A thousand times what a full one takes. */
const bytesMax = 1024 * 1024;

/* Undefined when there is none. */
export function readConfigFile(path: string): string | undefined {
  let descriptor: number;
  try {
    // Not blocking: a pipe in its place must not make every command wait.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw unreadable(path, codeOf(error));
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw unreadable(path, 'it is not a regular file');
    if (stats.size > bytesMax) throw unreadable(path, 'it is larger than a megabyte');
    checkTrust(path, stats);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/* The file that was opened, then everything that leads to its name. */
function checkTrust(path: string, { uid, mode }: Stats): void {
  const ownUid = geteuid?.() ?? uid;
  const word = shellWord(path);
  if (uid !== ownUid && uid !== 0) {
    throw unsafe({ path, why: `it belongs to user ${uid}`, cure: `chown ${ownUid} ${word}` });
  }
  if ((mode & 0o022) !== 0) {
    throw unsafe({ path, why: 'others can write to it', cure: `chmod go-w ${word}` });
  }
  const found = findUnsafe(path);
  if (found !== undefined) throw unsafe(found);
}

function unsafe({ path, why, cure }: Unsafe): CliError {
  return new CliError('config-unsafe', `${path} is not trusted: ${why}`, {
    hint: `It decides which commands may start, so nobody else may write to it: ${cure}`,
    detail: { path },
  });
}

function unreadable(path: string, why: string): CliError {
  return new CliError('config-unreadable', `${path} cannot be read: ${why}`, { detail: { path } });
}

function codeOf(error: unknown): string {
  return errnoOf(error) ?? String(error);
}

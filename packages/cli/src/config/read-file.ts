/*
 * The config file from the disk, if it can be trusted.
 *
 * It says what agents may start, so whoever can change it can start anything: it has
 * to belong to us or to root, and nobody else may write to it or to the directory it
 * lies in. A link is followed (people keep their files elsewhere) and what counts is
 * what it leads to. The file is opened first and asked then, so that it cannot be
 * exchanged in between.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { geteuid } from 'node:process';
import { dirname } from 'node:path';
import type { Stats } from 'node:fs';
import { errnoOf } from '@clawdfather/kit';
import { CliError } from '../errors.ts';

/* A thousand times what a full one takes. */
const bytesMax = 1024 * 1024;

/* In a directory that has it, nobody can replace what is not theirs. */
const stickyBit = 0o1000;

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
    const directory = dirname(realpathSync(path));
    checkTrust(directory, statSync(directory));
    checkAbove(directory);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function checkTrust(path: string, { uid, mode }: Stats): void {
  const ownUid = geteuid?.() ?? uid;
  if (uid !== ownUid && uid !== 0) {
    throw unsafe(path, `it belongs to user ${uid}`, `chown ${ownUid} ${path}`);
  }
  const isSticky = (mode & stickyBit) !== 0;
  if ((mode & 0o022) !== 0 && !isSticky) {
    throw unsafe(path, 'others can write to it', `chmod go-w ${path}`);
  }
}

/*
 * Whoever can write to a directory above can put another one in this one's place. Owners are not asked there: in a
 * container they may be nobody that we know.
 */
function checkAbove(directory: string): void {
  for (let above = dirname(directory); ; above = dirname(above)) {
    const { mode } = statSync(above);
    const isOpenToAll = (mode & 0o002) !== 0 && (mode & stickyBit) === 0;
    if (isOpenToAll) throw unsafe(above, 'everybody can write to it', `chmod o-w ${above}`);
    if (above === dirname(above)) return;
  }
}

function unsafe(path: string, why: string, cure: string): CliError {
  return new CliError('config-unsafe', `${path} is not trusted: ${why}`, {
    hint: `It decides what may be started here, so it has to be yours alone: ${cure}`,
    detail: { path },
  });
}

function unreadable(path: string, why: string): CliError {
  return new CliError('config-unreadable', `${path} cannot be read: ${why}`, { detail: { path } });
}

function codeOf(error: unknown): string {
  return errnoOf(error) ?? String(error);
}

/*
 * The master keys, as files that only we can read: `1.key`, `2.key`, … The highest number is CURRENT, the others are PREVIOUS.
 *
 * M1 A key's file appears whole and on disk, under a number that is still free: it is written under another name and linked. So
 *    when two processes start or rotate at once, one of them makes the number, and a crash leaves either the key or nothing.
 * M2 No file is ever changed or deleted here. A secret that has not been wrapped again since opens as long as its key is kept.
 * M3 Read once, from files and never from the environment, which children of ours could read.
 */
import { constants } from 'node:fs';
import { link, open, readdir, rm } from 'node:fs/promises';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { hasErrno, type Random } from '@clawdfather/kit';
import { openPrivateDir, shellWord } from '@clawdfather/kit/files';
import { SshError } from '../errors.ts';
import { keyBytes, type MasterKey } from './kms.ts';

export type MasterKeys = readonly [current: MasterKey, ...previous: MasterKey[]];

/* Rotated daily it would last for a lifetime; beyond it something is wrong. */
const keysMax = 10_000;
const fileBytesMax = 64;
const draftPrefix = 'draft-';
/* Each is lost only to another process that opens the directory at the same moment. */
const attemptsMax = 20;
const namePattern = /^([1-9][0-9]{0,4})\.key$/;
const keyPattern = /^[A-Za-z0-9_-]{43}\n$/;

interface NewMaster {
  readonly number: number;
  readonly random: Random;
}

/* Makes the first one if there is none. Throws `master-key-unsafe`, `master-key-invalid`. */
export async function openMasterKeys(directory: string, random: Random): Promise<MasterKeys> {
  await openDirectory(directory);
  const found = await numbersIn(directory);
  if (found.length === 0) await addKey(directory, { number: 1, random });
  const numbers = found.length === 0 ? await numbersIn(directory) : found;
  const keys = await Promise.all(numbers.map((number) => readKey(directory, number)));
  const [current, ...previous] = keys;
  if (current === undefined) throw unsafe(directory, 'its keys vanish while they are read');
  return [current, ...previous];
}

/* Makes a new CURRENT; processes that open the keys later use it. Secrets are wrapped again when they are used. */
export async function rotateMasterKey(directory: string, random: Random): Promise<void> {
  await openDirectory(directory);
  const [highest = 0] = await numbersIn(directory);
  await addKey(directory, { number: highest + 1, random });
}

/* The directory may be anywhere, so its whole path is checked. */
async function openDirectory(path: string): Promise<void> {
  openPrivateDir(path, ({ path: where, why, cure }) => unsafe(where, why, cure));
  // Drafts that a crash left. A process that is writing one right now finds it gone and writes another.
  const drafts = (await readdir(path)).filter((name) => name.startsWith(draftPrefix));
  await Promise.all(drafts.map((name) => rm(join(path, name), { force: true })));
}

/* Highest first. */
async function numbersIn(directory: string): Promise<readonly number[]> {
  const names = await readdir(directory);
  const numbers = names.map((name) => Number(namePattern.exec(name)?.[1] ?? 0)).filter(Boolean);
  if (numbers.length > keysMax) throw unsafe(directory, 'it holds too many keys');
  return numbers.toSorted((one, other) => other - one);
}

async function addKey(directory: string, wanted: NewMaster): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await linkKey(directory, wanted);
    } catch (error) {
      // M1: another process made this number first, and its key is as good.
      if (hasErrno(error, 'EEXIST')) return;
      if (!hasErrno(error, 'ENOENT') || attempt >= attemptsMax) throw error;
    }
  }
}

async function linkKey(directory: string, { number, random }: NewMaster): Promise<void> {
  const draft = join(directory, `${draftPrefix}${random.id()}`);
  const key = Buffer.from(random.bytes(keyBytes));
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${key.toString('base64url')}\n`);
    await file.sync();
    await link(draft, join(directory, `${number}.key`));
    await syncDirectory(directory);
  } finally {
    key.fill(0);
    await file.close();
    await rm(draft, { force: true });
  }
}

async function readKey(directory: string, number: number): Promise<MasterKey> {
  const path = join(directory, `${number}.key`);
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(
    (error: unknown) => {
      throw hasErrno(error, 'ELOOP') ? unsafe(path, 'it is a symbolic link') : error;
    },
  );
  try {
    const { uid, mode, size } = await file.stat();
    if (uid !== process.geteuid?.()) throw unsafe(path, `it belongs to user ${uid}`);
    if ((mode & 0o077) !== 0) {
      throw unsafe(path, 'others may read it', `chmod 600 ${shellWord(path)}`);
    }
    const text = size <= fileBytesMax ? await file.readFile('utf8') : '';
    if (!keyPattern.test(text)) {
      throw new SshError('master-key-invalid', 'a master key is not one of ours', {
        detail: { path },
        hint: 'restore it from a backup: what it has wrapped can be opened by nothing else',
      });
    }
    const bytes = Buffer.from(text, 'base64url');
    return { id: hash('sha256', Buffer.concat([Buffer.from('id:'), bytes])).slice(0, 16), bytes };
  } finally {
    await file.close();
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function unsafe(path: string, why: string, cure?: string): SshError {
  const mend = cure === undefined ? '' : ` Mend it: ${cure}`;
  return new SshError('master-key-unsafe', `master keys are not safe here: ${path}: ${why}`, {
    detail: { path },
    hint: `They have to be yours alone: directory 0700, files 0600. What others could read should be rotated.${mend}`,
  });
}

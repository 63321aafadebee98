/*
 * The files of master keys as they are read: `1.key`, `2.key`, … Each is ours, closed to others, and what a key looks like.
 */
import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { hasErrno } from '@clawdfather/kit';
import { shellWord } from '@clawdfather/kit/files';
import { SshError } from '../errors.ts';
import type { MasterKey } from './kms.ts';

/* Rotated daily it would last for a lifetime; beyond it something is wrong. */
const keysMax = 10_000;
const fileBytesMax = 64;
const namePattern = /^([1-9][0-9]{0,4})\.key$/;
const keyPattern = /^[A-Za-z0-9_-]{43}\n$/;

/* Highest first. */
export async function numbersIn(directory: string): Promise<readonly number[]> {
  const names = await readdir(directory);
  const numbers = names.map((name) => Number(namePattern.exec(name)?.[1] ?? 0)).filter(Boolean);
  if (numbers.length > keysMax) throw unsafe(directory, 'it holds too many keys');
  return numbers.toSorted((one, other) => other - one);
}

export async function readKey(directory: string, number: number): Promise<MasterKey> {
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

export function unsafe(path: string, why: string, cure?: string): SshError {
  const mend = cure === undefined ? '' : ` Mend it: ${cure}`;
  return new SshError('master-key-unsafe', `master keys are not safe here: ${path}: ${why}`, {
    detail: { path },
    hint: `They have to be yours alone: directory 0700, files 0600. What others could read should be rotated.${mend}`,
  });
}

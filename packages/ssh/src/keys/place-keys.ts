/*
 * Master keys that were kept elsewhere, put back: beside those that are there, and never over another key.
 *
 * PK1 Everything is looked at before anything is written: each file is a key, and no name stands for another key here already.
 * PK2 A key appears under its name whole and on disk, as in M1 of master-keys.ts.
 */
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno, type Random } from '@clawdfather/kit';
import { openPrivateDir, shellWord, syncDirectory } from '@clawdfather/kit/files';
import { SshError } from '../errors.ts';
import { numbersIn, readKey, unsafe } from './key-files.ts';
import type { MasterKey } from './kms.ts';
import { draftPrefix } from './master-keys.ts';

export interface KeysMove {
  /* A directory of keys, as `clf backup --with-keys` makes it. */
  readonly from: string;
  readonly to: string;
}

/* The ids of the keys in a directory; none where there is no directory. Throws `master-key-unsafe`, `master-key-invalid`. */
export async function readMasterKeyIds(directory: string): Promise<readonly string[]> {
  return [...(await readKeys(directory)).values()].map(({ id }) => id);
}

/* PK1: the names of those that are to be added. Throws `master-key-differs` and what reading them throws. */
export async function planMasterKeys({ from, to }: KeysMove): Promise<readonly string[]> {
  const [given, present] = [await readKeys(from), await readKeys(to)];
  const added: string[] = [];
  for (const [number, { id }] of given) {
    const other = present.get(number);
    if (other === undefined) added.push(`${number}.key`);
    else if (other.id !== id) throw differs({ from, to }, `${number}.key`);
  }
  return added;
}

/* Adds them, after the same look. The names that were added. */
export async function placeMasterKeys(move: KeysMove, random: Random): Promise<readonly string[]> {
  const names = await planMasterKeys(move);
  openPrivateDir(move.to, ({ path, why, cure }) => unsafe(path, why, cure));
  for (const name of names) await place(move, name, random);
  await syncDirectory(move.to);
  return names;
}

async function place({ from, to }: KeysMove, name: string, random: Random): Promise<void> {
  const draft = join(to, `${draftPrefix}${random.id()}`);
  const text = await readFile(join(from, name));
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
    await link(draft, join(to, name));
  } catch (error) {
    throw hasErrno(error, 'EEXIST') ? differs({ from, to }, name) : error;
  } finally {
    text.fill(0);
    await file.close();
    await rm(draft, { force: true });
  }
}

async function readKeys(directory: string): Promise<ReadonlyMap<number, MasterKey>> {
  const numbers = await numbersIn(directory).catch((error: unknown) => {
    if (hasErrno(error, 'ENOENT')) return [];
    throw error;
  });
  const keys = new Map<number, MasterKey>();
  for (const number of numbers) keys.set(number, await readKey(directory, number));
  return keys;
}

function differs({ from, to }: KeysMove, name: string): SshError {
  const aside = `mv ${shellWord(to)} ${shellWord(`${to}.before`)}`;
  return new SshError(
    'master-key-differs',
    `${join(to, name)} is another key than ${join(from, name)}`,
    {
      detail: { from, to, name },
      hint: `Nothing was changed. If what is stored here now may go, put its keys aside and try again: ${aside}`,
    },
  );
}

/*
 * The master keys, as files that only we can read: `1.key`, `2.key`, … The highest number is CURRENT, the others are PREVIOUS.
 *
 * M1 A key's file appears whole and on disk, under a number that is still free: it is written under another name and linked. So
 *    when two processes start or rotate at once, one of them makes the number, and a crash leaves either the key or nothing.
 * M2 No file is ever changed or deleted here. A secret that has not been wrapped again since opens as long as its key is kept.
 * M3 Read once, from files and never from the environment, which children of ours could read.
 * M4 Where keys are known to have been used, they have to be there. None is made in their place: what they have wrapped could be
 *    opened no more, and nobody would notice before it is needed.
 */
import { link, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno, type Random } from '@clawdfather/kit';
import { openPrivateDir, syncDirectory } from '@clawdfather/kit/files';
import { SshError } from '../errors.ts';
import { numbersIn, readKey, unsafe } from './key-files.ts';
import { keyBytes, type MasterKey } from './kms.ts';

export type MasterKeys = readonly [current: MasterKey, ...previous: MasterKey[]];

export const draftPrefix = 'draft-';
/* Each is lost only to another process that opens the directory at the same moment. */
const attemptsMax = 20;

interface NewMaster {
  readonly number: number;
  readonly random: Random;
}

/*
 * Makes the first one if there is none and none is known. `knownIds`: those that wrapped what is to be opened. Throws
 * `master-key-missing`, `master-key-unsafe`, `master-key-invalid`.
 */
export async function openMasterKeys(
  directory: string,
  random: Random,
  knownIds: readonly string[] = [],
): Promise<MasterKeys> {
  await openDirectory(directory);
  const found = await numbersIn(directory);
  if (found.length === 0 && knownIds.length > 0) throw missing(directory, knownIds);
  if (found.length === 0) await addKey(directory, { number: 1, random });
  const numbers = found.length === 0 ? await numbersIn(directory) : found;
  const keys = await Promise.all(numbers.map((number) => readKey(directory, number)));
  const [current, ...previous] = keys;
  if (current === undefined) throw unsafe(directory, 'its keys vanish while they are read');
  const lost = knownIds.filter((known) => !keys.some(({ id }) => id === known));
  if (lost.length > 0) throw missing(directory, lost);
  return [current, ...previous];
}

/*
 * Makes a new CURRENT; a gateway that runs finds it at its next use (file-kms.ts). Secrets are wrapped again when they are used.
 * Throws `master-key-missing` where there is none to replace.
 */
export async function rotateMasterKey(directory: string, random: Random): Promise<void> {
  await openDirectory(directory);
  const [highest] = await numbersIn(directory);
  if (highest === undefined) throw nothingToRotate(directory);
  await addKey(directory, { number: highest + 1, random });
}

/* The directory may be anywhere, so its whole path is checked. */
async function openDirectory(path: string): Promise<void> {
  openPrivateDir(path, ({ path: where, why, cure }) => unsafe(where, why, cure));
  // Drafts that a crash left. A process that is writing one right now finds it gone and writes another.
  const drafts = (await readdir(path)).filter((name) => name.startsWith(draftPrefix));
  await Promise.all(drafts.map((name) => rm(join(path, name), { force: true })));
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

function nothingToRotate(directory: string): SshError {
  return new SshError('master-key-missing', `there is no master key in ${directory}`, {
    detail: { directory },
    hint: 'The first start of a gateway makes one: clf serve. Are they elsewhere? See the setting gateway.masterKeysDir.',
  });
}

/* M4. */
function missing(directory: string, ids: readonly string[]): SshError {
  const [noun, verb] = ids.length === 1 ? ['a master key', 'is'] : ['master keys', 'are'];
  return new SshError(
    'master-key-missing',
    `${noun} that this database was used with ${verb} not in ${directory}: ${ids.join(', ')}`,
    {
      detail: { directory, ids },
      hint: 'Without it stored SSH keys cannot be opened. Gateways that share a database share the keys (gateway.masterKeysDir). Bring the keys back: clf restore FILE --keys DIR. If they are lost: clf serve --accept-lost-keys.',
    },
  );
}

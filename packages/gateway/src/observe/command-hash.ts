/*
 * Commands in logs and spans: as a keyed hash, never as text.
 *
 * The same command has the same hash on this installation, so lines can be matched. A plain hash of `ls` or of a command with
 * a short password is guessed by trying; without the key, nothing is. The key is made once and stays with the state.
 */
import { createHmac } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno, type Random } from '@clawdfather/kit';
import { GatewayError } from '../errors.ts';

export type CommandHash = (command: string) => string;

const keyBytes = 32;
const keyName = 'log-key';

export async function openCommandHash(stateDir: string, random: Random): Promise<CommandHash> {
  const path = join(stateDir, keyName);
  const key = (await readKey(path)) ?? (await makeKey(path, random));
  return (command) => createHmac('sha256', key).update(command).digest('hex');
}

async function readKey(path: string): Promise<Buffer | undefined> {
  const { O_RDONLY, O_NOFOLLOW } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW).catch((error: unknown) => {
    if (hasErrno(error, 'ENOENT')) return undefined;
    throw refused(path, error);
  });
  if (file === undefined) return undefined;
  await using _ = file;
  const { mode, uid } = await file.stat();
  const key = await file.readFile();
  const isPrivate = (mode & 0o077) === 0 && uid === process.getuid?.();
  if (!isPrivate || key.length !== keyBytes) throw refused(path, undefined);
  return key;
}

/* Linked into place when it is whole: of two gateways that start at once, one makes it and both use it. */
async function makeKey(path: string, random: Random): Promise<Buffer> {
  const draft = `${path}.${random.id()}`;
  const key = Buffer.from(random.bytes(keyBytes));
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(key);
    await file.sync();
    await link(draft, path);
    return key;
  } catch (error) {
    const made = hasErrno(error, 'EEXIST') ? await readKey(path) : undefined;
    if (made === undefined) throw refused(path, error);
    return made;
  } finally {
    await file.close();
    await unlink(draft);
  }
}

function refused(path: string, cause: unknown): GatewayError {
  return new GatewayError('log-key-unusable', `${path} is not a private key file of ours`, {
    cause,
    detail: { path },
    hint: 'remove it and start again: a new one is made, and hashes in older logs no longer match',
  });
}

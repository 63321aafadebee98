/*
 * Login links that a second process of the same user leaves for the gateway of this machine: `clf login`, and the way in for
 * an owner who is locked out.
 *
 * No other user can write to the state directory (the supervisor refuses it otherwise), so a file in it is the owner's.
 * A link is a file named by the SHA-256 of its secret, holding the time at which it ends. Using the link removes the
 * file: if two callers use the same link, the kernel lets one of them remove it. So a link needs no socket, no database and no
 * running gateway, and the file on disk is not enough to sign in.
 */
import { constants } from 'node:fs';
import { open, readdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, hasErrno, type Random } from '@clawdfather/kit';
import { openPrivateDir, type Unsafe } from '@clawdfather/kit/files';
import { GatewayError } from '../errors.ts';
import { hashSecret, newLinkSecret } from './token-text.ts';

export interface LocalLinkDeps {
  readonly stateDir: string;
  readonly clock: Pick<Clock, 'wallMs'>;
}

/* As long as any login link. */
const lifetimeMs = 10 * 60_000;
/* The file holds a number of milliseconds; a longer text is not ours. */
const fileBytesMax = 20;

const directoryOf = (stateDir: string): string => join(stateDir, 'login-links');

/* The secret, to be shown or used once. */
export async function leaveLocalLink(
  deps: LocalLinkDeps & { readonly random: Random },
): Promise<string> {
  const directory = directoryOf(deps.stateDir);
  // Without a state directory there is no gateway that could read the link.
  await stat(deps.stateDir);
  openPrivateDir(directory, unsafe);
  await removeExpired(deps, directory);
  const secret = newLinkSecret(deps.random);
  const endsAtMs = deps.clock.wallMs() + lifetimeMs;
  const path = join(directory, hashSecret(secret));
  try {
    await writeFile(path, String(endsAtMs), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    // A full disk takes the name and not the content.
    await unlink(path).catch(unless('ENOENT', 'EROFS'));
    throw error;
  }
  return secret;
}

/* True for one caller, once. The hash is ours, so it cannot lead out of the directory. */
export async function takeLocalLink(
  { stateDir, clock }: LocalLinkDeps,
  linkHash: string,
): Promise<boolean> {
  const path = join(directoryOf(stateDir), linkHash);
  const endsAtMs = await readEnd(path);
  if (endsAtMs === undefined) return false;
  const isOurs = await unlink(path).then(() => true, unless('ENOENT'));
  return isOurs === true && clock.wallMs() < endsAtMs;
}

/* `undefined` if there is no such file, or if its content is not what we write. */
async function readEnd(path: string): Promise<number | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(
    unless('ENOENT', 'ELOOP'),
  );
  if (file === undefined) return undefined;
  await using opened = file;
  const { uid, mode, size } = await opened.stat();
  const isPrivate = uid === process.getuid?.() && (mode & 0o177) === 0;
  if (!isPrivate || size > fileBytesMax) return undefined;
  return parseEnd(await opened.readFile('utf8'));
}

function parseEnd(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/* Links that were never used, or never written, would stay here for ever. */
async function removeExpired({ clock }: LocalLinkDeps, directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const text = await readFile(path, 'utf8').catch(unless('ENOENT', 'EISDIR', 'ELOOP'));
    const endsAtMs = text === '' ? await writtenAtMs(path) : parseEnd(text ?? '');
    if (endsAtMs !== undefined && endsAtMs <= clock.wallMs()) {
      await unlink(path).catch(unless('ENOENT'));
    }
  }
}

/* An empty one is being written just now, or its disk was full. */
async function writtenAtMs(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(unless('ENOENT'));
  return found === undefined ? undefined : found.mtimeMs + lifetimeMs;
}

function unsafe({ path, why, cure }: Unsafe): GatewayError {
  return new GatewayError('login-links-unsafe', `a login link cannot be left: ${path}: ${why}`, {
    detail: { path },
    hint: `Who can write there can sign in. Mend it: ${cure}`,
  });
}

/* The file may be gone: another process may have removed it meanwhile. */
function unless(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!hasErrno(error, ...codes)) throw error;
  };
}

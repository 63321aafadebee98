/*
 * The bytes of artifacts, as files of the gateway's own, named by their SHA-256: `files/ACCOUNT/HASH`.
 *
 * CS1 A content appears whole and on disk: it is written to a file of another name, hashed on the way, synced and renamed.
 * CS2 The same content of an account is one file. It is renamed over the one that is there, so it is young again.
 * CS3 A content that no row names is removed, and never one that a row names, whoever stores the same content meanwhile. First it is moved
 *     aside. If it is young then, or a row names it, it is put back. A snapshot that stores it before the move makes it young; one that comes
 *     after the move makes the file anew. Its rows are committed long before it is old.
 * CS4 Nothing of a name comes from outside: an account is an id of ours, a hash is 64 digits.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import {
  type FileHandle,
  link,
  mkdir,
  open,
  opendir,
  rename,
  stat,
  statfs,
  unlink,
} from 'node:fs/promises';
import { join } from 'node:path';
import { type AccountId, hasErrno, isId, type Random } from '@clawdfather/kit';
import { openPrivateDir, syncDirectory } from '@clawdfather/kit/files';
import { GatewayError } from '../errors.ts';

export interface StoredContent {
  readonly sha256: string;
  readonly sizeBytes: number;
}

/* One content on its way in. */
export interface Intake {
  take(piece: Uint8Array): Promise<void>;
  /* What was taken. Nothing can be taken any more. */
  content(): StoredContent;
  /* On disk under its hash, from then on. */
  keep(accountId: AccountId): Promise<StoredContent>;
  /* Leaves nothing behind; after `keep` it does nothing. */
  drop(): Promise<void>;
}

export interface ContentStore {
  openIntake(): Promise<Intake>;
  /* Undefined: it is not here. The caller closes it. */
  open(accountId: AccountId, sha256: string): Promise<FileHandle | undefined>;
  freeBytes(): Promise<number>;
  /* CS3: how many were removed. */
  collect(collecting: Collecting): Promise<number>;
}

export interface Collecting {
  readonly isNamed: (accountId: AccountId, sha256: string) => Promise<boolean>;
  readonly nowMs: number;
  readonly unnamedKeptMs: number;
  readonly signal: AbortSignal;
}

const hashPattern = /^[0-9a-f]{64}$/;

interface Places {
  readonly files: string;
  readonly incoming: string;
  readonly removed: string;
}

/* Throws `artifacts-unsafe`. */
export function openContentStore(directory: string, random: Random): ContentStore {
  const places: Places = {
    files: join(directory, 'files'),
    incoming: join(directory, 'incoming'),
    removed: join(directory, 'removed'),
  };
  for (const path of [directory, ...Object.values(places)]) openPrivateDir(path, unsafe);
  return {
    openIntake: () => openIntake(places, random),
    open: async (accountId, sha256) => {
      if (!isId(accountId) || !hashPattern.test(sha256)) return undefined;
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW;
      return open(join(places.files, accountId, sha256), flags).catch(ifThere);
    },
    freeBytes: async () => {
      const { bavail, bsize } = await statfs(places.incoming);
      return bavail * bsize;
    },
    collect: (collecting) => collect(places, random, collecting),
  };
}

function unsafe({ path, why, cure }: { path: string; why: string; cure: string }): GatewayError {
  return new GatewayError('artifacts-unsafe', `${path}: ${why}`, { detail: { path }, hint: cure });
}

async function openIntake({ files, incoming }: Places, random: Random): Promise<Intake> {
  const path = join(incoming, random.id());
  const file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let sha256: string | undefined;
  let isOpen = true;
  const content = (): StoredContent => {
    sha256 ??= hash.digest('hex');
    return { sha256, sizeBytes };
  };
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await file.close();
  };
  return {
    take: async (piece) => {
      hash.update(piece);
      sizeBytes += piece.length;
      await writeAll(file, piece);
    },
    content,
    keep: async (accountId) => {
      await file.sync();
      await close();
      const stored = content();
      const directory = join(files, accountId);
      await mkdir(directory, { mode: 0o700 }).catch(ifNew);
      await rename(path, join(directory, stored.sha256));
      // The name, and that of a new directory.
      for (const one of [directory, files]) await syncDirectory(one);
      return stored;
    },
    drop: async () => {
      await close();
      await unlink(path).catch(ifThere);
    },
  };
}

async function writeAll(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.length; ) {
    const { bytesWritten } = await file.write(piece, at, piece.length - at);
    at += bytesWritten;
  }
}

async function collect(places: Places, random: Random, collecting: Collecting): Promise<number> {
  const { signal } = collecting;
  let removed = 0;
  await removeOld(places.incoming, collecting);
  // What an earlier one moved aside before it was killed.
  for await (const { name } of await opendir(places.removed)) {
    signal.throwIfAborted();
    if (await settle(places, name, collecting)) removed += 1;
  }
  for await (const { name: account } of await opendir(places.files)) {
    if (!isId(account)) continue;
    const directory = join(places.files, account);
    for await (const { name } of await opendir(directory)) {
      signal.throwIfAborted();
      if (!hashPattern.test(name) || !(await isOld(join(directory, name), collecting))) continue;
      if (await collecting.isNamed(account as AccountId, name)) continue;
      const aside = `${account}-${name}-${random.id()}`;
      await rename(join(directory, name), join(places.removed, aside));
      if (await settle(places, aside, collecting)) removed += 1;
    }
  }
  return removed;
}

/* CS3, from the move on. */
async function settle(places: Places, aside: string, collecting: Collecting): Promise<boolean> {
  const path = join(places.removed, aside);
  const [account = '', sha256 = ''] = aside.split('-');
  const isKnown = isId(account) && hashPattern.test(sha256);
  if (isKnown && (await isNeeded(path, account as AccountId, { sha256, ...collecting }))) {
    await link(path, join(places.files, account, sha256)).catch(ifNew);
    await syncDirectory(join(places.files, account));
    await unlink(path);
    return false;
  }
  await unlink(path);
  return true;
}

async function isNeeded(
  path: string,
  accountId: AccountId,
  { sha256, isNamed, ...times }: Collecting & { readonly sha256: string },
): Promise<boolean> {
  return !(await isOld(path, times)) || (await isNamed(accountId, sha256));
}

async function isOld(
  path: string,
  { nowMs, unnamedKeptMs }: Pick<Collecting, 'nowMs' | 'unnamedKeptMs'>,
): Promise<boolean> {
  const found = await stat(path).catch(ifThere);
  return found !== undefined && nowMs - found.mtimeMs >= unnamedKeptMs;
}

/* Left by snapshots that were killed. */
async function removeOld(directory: string, collecting: Collecting): Promise<void> {
  for await (const { name } of await opendir(directory)) {
    const path = join(directory, name);
    if (await isOld(path, collecting)) await unlink(path).catch(ifThere);
  }
}

/* It is not there, which is as good. */
function ifThere(error: unknown): undefined {
  if (!hasErrno(error, 'ENOENT')) throw error;
  return undefined;
}

/* It is there already. */
function ifNew(error: unknown): undefined {
  if (!hasErrno(error, 'EEXIST')) throw error;
  return undefined;
}

/*
 * Files for prompts, as they come in: a directory for each account, with two files for each upload, named by its id and never by what it
 * is called. Only this user can read them.
 *
 * UP1 What was answered is on the disk. How much is there is the length of the file, so nothing else has to agree with it.
 * UP2 A piece is added at the end or not at all. Of a piece that a crash cut off some bytes may be there; they are its first ones, and whoever
 *     sends asks how many.
 * UP3 An account has a bound on files and bytes, its tokens on three quarters of it, and announces one file at a time, so that no two take the
 *     same room. What is a day old goes when the next one is announced, or with the next sweep; what prompts have taken goes before that, where
 *     there is no room otherwise (upload-room.ts). A disk that would be nearly full takes no file (free-room.ts).
 * UP4 A file is whole when all of it is there, and is what was announced: that was checked, and the mark of it is on the disk. A gateway that
 *     was killed before it had written the mark checks again.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, hasErrno, isId, type Log, type Random } from '@clawdfather/kit';
import { openPrivateDir, syncDirectory } from '@clawdfather/kit/files';
import type { AccountId } from '@clawdfather/store';
import { ApiError, notFound } from '../http/api-error.ts';
import { type RoomDeps, refuseWithoutRoom } from './free-room.ts';
import type { InTurn } from './in-turn.ts';
import { removeExpired, sweepUploads } from './expired-uploads.ts';
import { unsafe } from './unsafe-place.ts';
import {
  type Kept,
  keptMs,
  noteFacts,
  readFacts,
  removeFiles,
  writeFacts,
} from './upload-facts.ts';
import { goneFor } from './upload-room.ts';

export interface UploadFacts {
  readonly name: string;
  readonly size: number;
  readonly contentType: string;
  readonly sha256?: string | undefined;
}

export interface Upload extends UploadFacts {
  readonly id: string;
  readonly offset: number;
  /* UP4 */
  readonly isWhole: boolean;
  readonly expiresAtMs: number;
}

export interface Uploads {
  create(accountId: AccountId, facts: UploadFacts, how?: Announcing): Promise<Upload>;
  find(accountId: AccountId, id: string): Promise<Upload>;
  /* For who has the account's turn. */
  findInTurn(accountId: AccountId, id: string): Promise<Upload>;
  append(accountId: AccountId, piece: UploadPiece): Promise<Upload>;
  remove(accountId: AccountId, id: string): Promise<void>;
  /* For who has the account's turn: a prompt has them. Never rejects. */
  noteTaken(accountId: AccountId, ids: Iterable<string>): Promise<void>;
  /* Of a whole one: where its bytes are. */
  pathOf(accountId: AccountId, id: string): string;
  /* Removes what is too old, of every account. */
  sweep(): Promise<void>;
}

export interface Announcing {
  /* Of a request that may come again; the same facts find the same upload. */
  readonly id?: string | undefined;
  /* Not by a person on a device. */
  readonly isOfToken?: boolean;
}

export interface UploadPiece {
  readonly id: string;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

export interface UploadsDeps extends RoomDeps {
  readonly stateDir: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /* Of an account one thing at a time, by its id. */
  readonly inTurn: InTurn;
}

export function createUploads(deps: UploadsDeps): Uploads {
  const { clock, random, log, inTurn } = deps;
  const root = join(deps.stateDir, 'uploads');
  const { bytesOf, look, findInTurn, find } = createLooks(deps, root);
  return {
    find,
    findInTurn,
    pathOf: bytesOf,
    create: (accountId, facts, { id = random.id(), isOfToken = false } = {}) =>
      inTurn(accountId, async () => {
        const place = join(root, accountId);
        openPrivateDir(place, unsafe);
        const path = join(place, id);
        const before = await findInTurn(accountId, id).catch(unlessMissing);
        if (before !== undefined) return sameOr(before, facts);
        const { kept: others } = await removeExpired(place, clock.wallMs());
        const gone = goneFor({ size: facts.size, isOfToken }, others);
        for (const one of gone) await removeFiles(join(place, one));
        await refuseWithoutRoom(deps, place, facts.size);
        // Half of a pair, of a gateway that was killed just then.
        await removeFiles(path);
        const kept: Kept = { ...facts, isOfToken, createdAtMs: clock.wallMs() };
        await orFull(async () => {
          await writeFile(path, '', { flag: 'wx', mode: 0o600, flush: true });
          await writeFacts(path, kept);
          // The directory of the account may be new.
          for (const above of [root, deps.stateDir]) await syncDirectory(above);
        });
        return await look(accountId, id);
      }),
    append: (accountId, { id, offset, bytes }) =>
      inTurn(accountId, async () => {
        const upload = await findInTurn(accountId, id);
        // It would add nothing, and a whole file would be hashed again for it.
        if (bytes.length === 0) throw new ApiError('validation_error', 'the piece is empty');
        if (offset !== upload.offset) throw gapAt(upload.offset);
        if (offset + bytes.length > upload.size) {
          throw new ApiError('validation_error', 'this is more than was announced');
        }
        const path = bytesOf(accountId, id);
        // Others may have filled the disk since it was announced.
        await refuseWithoutRoom(deps, path, bytes.length);
        await addSafely(path, offset, bytes);
        const grown = await look(accountId, id);
        if (isUnchecked(grown) && !(await isAsAnnounced(path, grown))) throw notAsAnnounced();
        return await look(accountId, id);
      }),
    remove: (accountId, id) =>
      inTurn(accountId, async () => {
        await look(accountId, id);
        await removeFiles(bytesOf(accountId, id));
      }),
    noteTaken: async (accountId, ids) => {
      const takenAtMs = clock.wallMs();
      const notes = [...ids].map((id) => noteFacts(bytesOf(accountId, id), { takenAtMs }));
      for (const note of await Promise.allSettled(notes)) {
        if (note.status === 'fulfilled') continue;
        log.warn('uploads.taken-unnoted', { accountId, error: note.reason });
      }
    },
    sweep: () => sweepUploads({ ...deps, root, inTurn }),
  };
}

function createLooks({ clock, inTurn }: UploadsDeps, root: string) {
  const bytesOf = (accountId: AccountId, id: string): string => {
    if (!isId(id)) throw notFound();
    return join(root, accountId, id);
  };
  const look = async (accountId: AccountId, id: string): Promise<Upload> => {
    const path = bytesOf(accountId, id);
    const kept = await readFacts(path);
    const expiresAtMs = (kept?.createdAtMs ?? 0) + keptMs;
    if (kept === undefined || clock.wallMs() >= expiresAtMs) throw notFound();
    const { name, size, contentType, sha256, isChecked } = kept;
    const facts: UploadFacts = { name, size, contentType, sha256 };
    const offset = await sizeOf(path);
    if (offset === undefined) throw notFound();
    const isWhole = offset === facts.size && (facts.sha256 === undefined || isChecked === true);
    return { id, ...facts, offset, isWhole, expiresAtMs };
  };
  /* What turns out to be another file begins anew. */
  const findInTurn = async (accountId: AccountId, id: string): Promise<Upload> => {
    const upload = await look(accountId, id);
    if (!isUnchecked(upload)) return upload;
    await isAsAnnounced(bytesOf(accountId, id), upload);
    return await look(accountId, id);
  };
  const find = async (accountId: AccountId, id: string): Promise<Upload> => {
    const upload = await look(accountId, id);
    return isUnchecked(upload) ? await inTurn(accountId, () => findInTurn(accountId, id)) : upload;
  };
  return { bytesOf, look, findInTurn, find };
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 'not_found') return undefined;
  throw error;
}

function sameOr(known: Upload, { name, size, contentType, sha256 }: UploadFacts): Upload {
  const isSame =
    known.name === name &&
    known.size === size &&
    known.contentType === contentType &&
    known.sha256 === sha256;
  if (isSame) return known;
  throw new ApiError('key_reused');
}

/* Undefined: it was removed just now. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/* UP1, UP2 */
async function addSafely(path: string, offset: number, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, 'r+');
  try {
    await orFull(async () => {
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await file.write(bytes, at, bytes.length - at, offset + at);
        at += bytesWritten;
      }
      await file.sync();
    });
  } catch (error) {
    await file.truncate(offset);
    throw error;
  }
}

function isUnchecked({ offset, size, isWhole }: Upload): boolean {
  return offset === size && !isWhole;
}

/* UP4. False: it is not, and begins anew. */
async function isAsAnnounced(path: string, { sha256 }: Upload): Promise<boolean> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  if (hash.digest('hex') === sha256) {
    await orFull(() => noteFacts(path, { isChecked: true }));
    return true;
  }
  await using file = await open(path, 'r+');
  await file.truncate(0);
  return false;
}

function notAsAnnounced(): ApiError {
  const message = 'what came is not what was announced: its SHA-256 is another one';
  return new ApiError('changed', message, { hint: 'Send it again from the beginning.' });
}

export async function orFull(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (hasErrno(error, 'ENOSPC', 'EDQUOT')) throw new ApiError('storage_full');
    throw error;
  }
}

function gapAt(offset: number): ApiError {
  return new ApiError('gap', `the next piece begins at ${offset}`, { detail: { offset } });
}

/*
 * The copies that are made for one prompt, each in a directory that is named by its upload.
 *
 * HO1 (hand-over.ts) A copy is kept for a prompt that was taken: it is on the disk before, name and all, as the turn will be. Of a prompt that
 * is refused nothing stays.
 *
 * Where the shield is not whole, agents can move and swap what is here while we work. So each directory is held open, and all is done through
 * the descriptors (kit's held-dir.ts): a link in the place of one leads us nowhere.
 */
import { constants } from 'node:fs';
import { copyFile, type FileHandle, link, lstat, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno } from '@clawdfather/kit';
import { below, holdPrivateDirIn, inTheWay, removeBelow } from '@clawdfather/kit/files';
import { toApiError } from '../http/api-error.ts';
import { type RoomDeps, refuseWithoutRoom } from './free-room.ts';
import { unsafe } from './unsafe-place.ts';
import { orFull, type Upload } from './upload-files.ts';

const nameCharactersMax = 100;
/* A file system takes 255, and a draft has an ending. */
const nameBytesMax = 200;

/* Of an account, held open as long as its copies are made. */
export interface CopiesPlace {
  readonly path: string;
  readonly directory: FileHandle;
}

export class Copies {
  readonly #room: RoomDeps;
  readonly #place: CopiesPlace;
  readonly #nowMs: number;
  readonly #made: string[] = [];

  constructor(room: RoomDeps, place: CopiesPlace, nowMs: number) {
    this.#room = room;
    this.#place = place;
    this.#nowMs = nowMs;
  }

  /* The same place each time: a prompt that is sent again is the same prompt. On the disk but for the name of its directory. */
  async add(from: string, { id, name, size }: Upload): Promise<string> {
    const { path, directory } = this.#place;
    const copy = { path: join(path, id, safeName(name)), name: safeName(name) };
    await using home = await holdPrivateDirIn(directory, join(path, id), unsafe);
    if (!(await isFile(below(home, copy.name)))) {
      this.#made.push(id);
      await refuseWithoutRoom(this.#room, below(home, '.'), size);
      await makeCopy(home, from, copy);
    }
    // The age counts from the last prompt that it was for.
    await home.utimes(this.#nowMs / 1_000, this.#nowMs / 1_000);
    await home.sync();
    return copy.path;
  }

  /* HO1 */
  async keepIfTaken<Taken>(work: () => Promise<Taken>): Promise<Taken> {
    try {
      return await work();
    } catch (error) {
      // Where it is not known whether the prompt was taken, they stay: the bound and the sweep are for them, too.
      if (!unsure.has(toApiError(error).code)) {
        for (const id of this.#made) await removeBelow(this.#place.directory, id);
      }
      throw error;
    }
  }
}

/* Nothing is replaced: what an agent has put at the name of a copy is refused. */
async function makeCopy(
  home: FileHandle,
  from: string,
  { path, name }: { readonly path: string; readonly name: string },
): Promise<void> {
  const draft = below(home, `${name}.${process.pid}`);
  await unlink(draft).catch(ifThere);
  // Copied without a write where the file system can; 0600 as the other.
  await orFull(async () => {
    await copyFile(from, draft, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await syncFile(draft);
  });
  try {
    await link(draft, below(home, name));
  } catch (error) {
    if (!hasErrno(error, 'EEXIST')) throw error;
    throw unsafe(inTheWay(path, 'it is not a file'));
  } finally {
    await unlink(draft).catch(ifThere);
  }
}

/* An agent can put something else in its place at once, so what blocks or leads elsewhere is not opened. */
async function syncFile(path: Buffer): Promise<void> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  await using file = await open(path, flags);
  await file.sync();
}

async function isFile(path: Buffer): Promise<boolean> {
  return await lstat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

function ifThere(error: unknown): void {
  if (!hasErrno(error, 'ENOENT')) throw error;
}

const unsure: ReadonlySet<string> = new Set(['internal_error', 'unavailable']);

/* What a person called it, in characters that no shell and no eye stumbles over. Its end is kept, which says what it is. */
export function safeName(name: string): string {
  const characters = Array.from(name.normalize('NFC').replaceAll(/[^\p{L}\p{N}._-]+/gu, '_'));
  let plain = characters.slice(-nameCharactersMax);
  while (Buffer.byteLength(plain.join('')) > nameBytesMax) plain = plain.slice(1);
  const shown = plain.join('').replace(/^\.+/, '');
  return /[\p{L}\p{N}]/u.test(shown) ? shown : 'file';
}

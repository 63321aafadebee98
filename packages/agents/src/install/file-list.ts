/*
 * Every file of an installation with its hash, so that a changed one is found by name. Links are listed by their target and never
 * followed.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** By path below `node_modules`: what it is. */
export type FileList = Readonly<Record<string, string>>;

export interface ListedFiles {
  readonly files: FileList;
  readonly bytes: number;
}

export async function listFiles(place: string, signal?: AbortSignal): Promise<ListedFiles> {
  const root = join(place, 'node_modules');
  const files: Record<string, string> = {};
  let bytes = 0;
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  for (const path of paths) {
    signal?.throwIfAborted();
    const { mode, size } = await lstat(path);
    const name = path.slice(root.length + 1);
    bytes += size;
    const isLink = (mode & 0o170000) === 0o120000;
    const runs = (mode & 0o100) === 0 ? '' : 'x ';
    files[name] = isLink ? `link ${await readlink(path)}` : `${runs}${await hashFile(path, size)}`;
  }
  return { files, bytes };
}

export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A stream costs more than it saves for the thousands of small files of a package. */
const readWholeBytesMax = 1 << 20;

async function hashFile(path: string, size: number): Promise<string> {
  const hash = createHash('sha256');
  if (size <= readWholeBytesMax) return hash.update(await readFile(path)).digest('hex');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    hash.update(chunk as Buffer);
  }
  return hash.digest('hex');
}

export interface FileProblem {
  readonly path: string;
  readonly problem: 'changed' | 'missing' | 'added';
}

export function compareFiles(wanted: FileList, found: FileList): readonly FileProblem[] {
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(found)])].toSorted();
  return names.flatMap((path): FileProblem[] => {
    const [want, have] = [wanted[path], found[path]];
    if (want === have) return [];
    if (want === undefined) return [{ path, problem: 'added' }];
    return [{ path, problem: have === undefined ? 'missing' : 'changed' }];
  });
}

/*
 * Saves files of a turn below a directory, and nowhere else.
 *
 * A file is written under another name in its directory, hashed on the way, and gets its own name when the hash is the right one. Each directory
 * on the way is made, or has to be a real one: a link in the tree leads nowhere.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { link, lstat, mkdir, open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno } from '@clawdfather/kit';
import { makeVisible } from '@clawdfather/tools/text';
import { CliError } from '../errors.ts';
import { formatBytes } from '../render/bytes.ts';
import { connectionTo } from '../sign-in/open-connection.ts';
import type { Target } from '../sign-in/find-gateway.ts';
import type { Artifact } from './artifact-json.ts';

export interface SaveOptions {
  readonly directory: string;
  readonly isForced: boolean;
  /* Lines for a terminal. */
  readonly onProgress: ((text: string) => void) | undefined;
}

export interface Saver {
  /* Where it was saved. */
  save(item: Artifact): Promise<string>;
}

/* A smaller file is there before it could be said how far it is. */
const progressBytesMin = 1024 ** 2;
const progressSteps = 20;

export async function openSaver(target: Target, options: SaveOptions): Promise<Saver> {
  const opened = await connectionTo(target);
  const send =
    opened === undefined
      ? (url: string) => fetch(url)
      : await import('../sign-in/connection-fetch.ts').then(
          ({ createFetchOver }) =>
            (url: string) =>
              createFetchOver(opened)(url, {}),
        );
  return { save: (item) => save(item, { ...options, send, baseUrl: target.url }) };
}

interface Saving extends SaveOptions {
  readonly send: (url: string) => Promise<Response>;
  readonly baseUrl: string;
}

async function save(item: Artifact, saving: Saving): Promise<string> {
  const { relative_path: relativePath } = item;
  const names = relativePath.split('/');
  const isBelow = names.every((name) => !['', '.', '..'].includes(name) && !name.includes('\0'));
  const last = names.pop();
  if (!isBelow || last === undefined) throw refused(relativePath, 'its path leads elsewhere');
  if (item.download_url === null) throw refused(relativePath, 'its bytes are kept no longer');
  const directory = await enter(saving.directory, names);
  const path = join(directory, last);
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  );
  if (isThere && !saving.isForced) throw taken(path);
  const draft = join(directory, `.clf-${item.id}-${process.pid}`);
  try {
    await fetchTo(draft, item, saving);
    if (saving.isForced) await rename(draft, path);
    else await link(draft, path);
  } catch (error) {
    if (hasErrno(error, 'EEXIST')) throw taken(path);
    throw error;
  } finally {
    await unlink(draft).catch(() => undefined);
  }
  return path;
}

/* Below the one that was asked for, which may be a link: the person has named it. */
async function enter(directory: string, names: readonly string[]): Promise<string> {
  await mkdir(directory, { recursive: true });
  let path = directory;
  for (const name of names) {
    path = join(path, name);
    await mkdir(path).catch((error: unknown) => {
      if (!hasErrno(error, 'EEXIST')) throw error;
    });
    if (!(await lstat(path)).isDirectory())
      throw refused(path, 'it is in the way, and no directory');
  }
  return path;
}

async function fetchTo(draft: string, item: Artifact, saving: Saving): Promise<void> {
  const { send, baseUrl } = saving;
  // The address of people may be another one than ours.
  const { pathname, search } = new URL(item.download_url ?? '', baseUrl);
  const response = await send(new URL(`${pathname}${search}`, baseUrl).href);
  if (!response.ok || response.body === null) {
    throw refused(item.relative_path, `the gateway answered ${response.status}`);
  }
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(draft, flags, 0o666);
  const hash = createHash('sha256');
  const progress = createProgress(item, saving);
  let at = 0;
  try {
    for await (const piece of response.body) {
      at += piece.length;
      if (at > item.size_bytes) break;
      hash.update(piece);
      await file.writeFile(piece);
      progress(at);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  if (at === item.size_bytes && hash.digest('hex') === item.sha256) return;
  throw new CliError(
    'artifact-damaged',
    `${makeVisible(item.relative_path)} did not arrive whole`,
    {
      hint: 'Nothing was saved. Try again.',
      detail: { path: item.relative_path },
    },
  );
}

function createProgress(
  { relative_path: path, size_bytes: size }: Artifact,
  { onProgress }: Saving,
): (at: number) => void {
  if (onProgress === undefined || size < progressBytesMin) return () => {};
  let told = 0;
  return (at) => {
    const step = Math.floor((at * progressSteps) / size);
    if (step === told) return;
    told = step;
    const end = at === size ? '\n' : '';
    onProgress(`\rclf: ${makeVisible(path)} ${formatBytes(at)} of ${formatBytes(size)}${end}`);
  };
}

function taken(path: string): CliError {
  return new CliError('file-exists', `${makeVisible(path)} is there already`, {
    hint: 'Replace it with --force, or save elsewhere with -o DIR.',
    detail: { path },
  });
}

function refused(path: string, why: string): CliError {
  return new CliError('artifact-refused', `${makeVisible(path)}: ${why}`, { detail: { path } });
}

/*
 * The hashed files of this version and of those before it, kept in the state directory. A tab that was opened before an upgrade still
 * loads parts of its own version afterwards.
 *
 * A name has the hash of what is in the file, so a file is written once and never changed; its packed forms lie beside it, as in the
 * build. It is on the disk before it has its name: browsers keep what they are sent under it for a year, also if it was nothing. Those of versions that nobody has started for a month are removed.
 */
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import type { Clock, Log } from '@clawdfather/kit';
import { syncDirectory } from '@clawdfather/kit/files';
import { type AppFile, type AppFiles, typeOf } from './app-build.ts';

export interface KeptFiles {
  /* By its name, such as `index-1a2b3c4d.js`. */
  find(name: string): Promise<AppFile | undefined>;
}

/* A tab that was not touched for longer is reloaded by its browser anyway. */
const keptMs = 30 * 24 * 60 * 60_000;

const namePattern = /^[A-Za-z0-9_-]{1,64}-[A-Za-z0-9_-]{8}\.(?:js|css|svg|png)$/;

export async function openKeptFiles(
  directory: string,
  files: AppFiles,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<KeptFiles> {
  try {
    await keep(directory, files, clock.wallMs());
  } catch (error) {
    // Those of this version are in memory; only older tabs miss theirs.
    log.warn('app.files-not-kept', { error });
  }
  return { find: (name) => findKept(directory, name) };
}

async function keep(directory: string, files: AppFiles, nowMs: number): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  const now = new Date(nowMs);
  for (const { path, isHashed, bodies } of files.values()) {
    if (!isHashed) continue;
    const place = join(directory, path.slice('/app/'.length));
    // A disk syncs three at once in the time of one.
    await Promise.all([
      keepBody(place, bodies.plain, now),
      bodies.br === undefined ? undefined : keepBody(`${place}.br`, bodies.br, now),
      bodies.gzip === undefined ? undefined : keepBody(`${place}.gz`, bodies.gzip, now),
    ]);
  }
  for (const path of [directory, dirname(directory)]) await syncDirectory(path);
  for (const name of await readdir(directory)) {
    const { mtimeMs } = await stat(join(directory, name));
    if (nowMs - mtimeMs > keptMs) await rm(join(directory, name), { force: true });
  }
}

async function keepBody(place: string, body: Buffer, now: Date): Promise<void> {
  const found = await stat(place).catch(() => undefined);
  // One of an older version may have lost its content in a power cut.
  if (found?.size === body.length) return await utimes(place, now, now);
  const draft = `${place}.${process.pid}`;
  await writeFile(draft, body, { mode: 0o600, flush: true });
  await rename(draft, place);
}

async function findKept(directory: string, name: string): Promise<AppFile | undefined> {
  const type = typeOf(extname(name));
  if (type === undefined || !namePattern.test(name)) return undefined;
  const read = async (file: string): Promise<Buffer | undefined> => {
    const body = await readFile(join(directory, file)).catch(() => undefined);
    // Of an older version, after a power cut: no file of the app is empty.
    return body?.length === 0 ? undefined : body;
  };
  const [plain, br, gzip] = await Promise.all([read(name), read(`${name}.br`), read(`${name}.gz`)]);
  // Of a version that never ran here.
  if (plain === undefined) return undefined;
  const bodies = { plain, ...(br && { br }), ...(gzip && { gzip }) };
  return { path: `/app/${name}`, type, etag: `"${name}"`, isHashed: true, bodies };
}

/*
 * The hashed files of this version and of those before it, kept in the state directory. A tab that was opened before an upgrade still
 * loads parts of its own version afterwards.
 *
 * A name has the hash of what is in the file, so a file is written once and never changed. Those of versions that nobody has started
 * for a month are removed.
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
import { extname, join } from 'node:path';
import type { Clock, Log } from '@clawdfather/kit';
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
    const isThere = await utimes(place, now, now).then(
      () => true,
      () => false,
    );
    if (isThere) continue;
    const draft = `${place}.${process.pid}`;
    await writeFile(draft, bodies.plain, { mode: 0o600 });
    await rename(draft, place);
  }
  for (const name of await readdir(directory)) {
    const { mtimeMs } = await stat(join(directory, name));
    if (nowMs - mtimeMs > keptMs) await rm(join(directory, name), { force: true });
  }
}

async function findKept(directory: string, name: string): Promise<AppFile | undefined> {
  const type = typeOf(extname(name));
  if (type === undefined || !namePattern.test(name)) return undefined;
  try {
    const plain = await readFile(join(directory, name));
    return { path: `/app/${name}`, type, etag: `"${name}"`, isHashed: true, bodies: { plain } };
  } catch {
    // Of a version that never ran here.
    return undefined;
  }
}

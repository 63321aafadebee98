/*
 * The files of the web app, as they were built, read once at the start: an upgrade may replace them while we run, and a page of
 * one version with a script of another is a blank page.
 *
 * A file whose name has its hash never changes and is kept by browsers for good; the others (the page, the worker, the manifest) are
 * asked for anew each time.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface AppFile {
  /* As in the address, such as `/app/index-1a2b3c4d.js`. */
  readonly path: string;
  readonly type: string;
  readonly etag: string;
  readonly isHashed: boolean;
  readonly bodies: AppBodies;
}

/* Packed at build time, where that makes it smaller. */
export interface AppBodies {
  readonly plain: Buffer;
  readonly br?: Buffer;
  readonly gzip?: Buffer;
}

export type AppFiles = ReadonlyMap<string, AppFile>;

export const builtAppDirectory = fileURLToPath(new URL('../../../web/dist', import.meta.url));

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};

/* Undefined: it is not served. */
export function typeOf(ending: string): string | undefined {
  return types[ending];
}

/* Empty where the app was not built. */
export function readAppFiles(directory: string): AppFiles {
  const files = new Map<string, AppFile>();
  for (const entry of readBuilt(directory)) {
    const file = readFile(directory, entry);
    if (file !== undefined) files.set(file.path, file);
  }
  return files;
}

function readBuilt(directory: string): readonly string[] {
  try {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(directory, join(parentPath, name)));
  } catch {
    // It was not built; the page says so.
    return [];
  }
}

function readFile(directory: string, entry: string): AppFile | undefined {
  const type = typeOf(extname(entry));
  // Packed forms are read with the file that they are of, and what is not served has no type.
  if (type === undefined) return undefined;
  const plain = readFileSync(join(directory, entry));
  const packed = (ending: string): Buffer | undefined => {
    try {
      return readFileSync(join(directory, `${entry}.${ending}`));
    } catch {
      return undefined;
    }
  };
  const [br, gzip] = [packed('br'), packed('gz')];
  return {
    path: `/${entry}`,
    type,
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    isHashed: entry.startsWith('app/'),
    bodies: { plain, ...(br && { br }), ...(gzip && { gzip }) },
  };
}

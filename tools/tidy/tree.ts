/*
 * The repository as data: every file that is or would be committed, by path.
 *
 * Rules are pure functions from this tree to findings, so a test can feed them
 * a small bad tree made by hand and see them fail.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/* Path, with forward slashes from the repository's root, to text. */
export type Tree = ReadonlyMap<string, string>;

export interface Finding {
  readonly path: string;
  readonly message: string;
}

const rootPath = fileURLToPath(new URL('../../', import.meta.url));

/* Larger than any listing we shall have; the default of 1 MB is not. */
const listingBytesMax = 64 * 1024 * 1024;

export function readRepository(): Tree {
  const listing = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: rootPath, encoding: 'utf8', maxBuffer: listingBytesMax },
  );
  const tree = new Map<string, string>();
  for (const path of new Set(listing.split('\0'))) {
    const text = path === '' ? undefined : readText(`${rootPath}/${path}`);
    if (text !== undefined) tree.set(path, text);
  }
  return tree;
}

export function treeOf(files: Readonly<Record<string, string>>): Tree {
  return new Map(Object.entries(files));
}

export function formatFindings(findings: readonly Finding[]): string {
  return findings.map(({ path, message }) => `\n  ${path}: ${message}`).join('');
}

/* A file that was deleted but not yet committed as such is no longer there. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

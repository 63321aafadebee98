/*
 * Questions about paths that several rules ask.
 */
import type { Tree } from './tree.ts';

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

const scriptPattern = /\.(?:ts|tsx|js|mjs)$/;

export function scripts(tree: Tree): readonly SourceFile[] {
  return filesMatching(tree, scriptPattern);
}

/* TypeScript that ships: packages' src, without testkit, which is for tests only. */
export function shippedScripts(tree: Tree): readonly SourceFile[] {
  return scripts(tree).filter(
    ({ path }) => /^packages\/[^/]+\/src\//.test(path) && !path.startsWith('packages/testkit/'),
  );
}

export function filesMatching(tree: Tree, pattern: RegExp): readonly SourceFile[] {
  return [...tree].filter(([path]) => pattern.test(path)).map(([path, text]) => ({ path, text }));
}

/* `kit` for packages/kit/…, else undefined. */
export function packageOf(path: string): string | undefined {
  return /^packages\/([^/]+)\//.exec(path)?.[1];
}

export function packageNames(tree: Tree): readonly string[] {
  return [...tree.keys()]
    .map((path) => /^packages\/([^/]+)\/package\.json$/.exec(path)?.[1])
    .filter((name) => name !== undefined)
    .toSorted();
}

/*
 * Rule: the first screen explains the file.
 *
 * Every script and C file opens with a comment that says what it is for. A
 * shebang may stand before it. A few words are not an explanation, but a C file
 * may say "See child.h." when that header, beside it, does the explaining.
 */
import { posix } from 'node:path';
import { filesMatching } from '../source-files.ts';
import type { Finding, Tree } from '../tree.ts';

const wordsMin = 6;

export function checkFileHeaders(tree: Tree): readonly Finding[] {
  return filesMatching(tree, /\.(?:ts|tsx|js|mjs|c|h)$/).flatMap(({ path, text }) => {
    const header = headerOf(text);
    if (header === undefined) return [{ path, message: 'does not open with a comment' }];
    if (pointsToHeader(tree, path, header)) return [];
    const words = header.match(/[A-Za-z][\w'-]*/g)?.length ?? 0;
    return words >= wordsMin
      ? []
      : [{ path, message: `has a header of ${words} words: say what the file is for` }];
  });
}

function pointsToHeader(tree: Tree, path: string, header: string): boolean {
  const name = /^\s*See ([\w-]+\.h)\b/.exec(header)?.[1];
  if (name === undefined || !path.endsWith('.c')) return false;
  return tree.has(posix.join(posix.dirname(path), name));
}

function headerOf(text: string): string | undefined {
  const body = text.replace(/^#!.*\n/, '').trimStart();
  if (body.startsWith('/*')) return body.slice(2, body.indexOf('*/'));
  return /^(?:\/\/.*\n)+/.exec(body)?.[0];
}

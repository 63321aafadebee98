/*
 * Rule: a link from one of our documents to another file leads somewhere.
 */
import { posix } from 'node:path';
import { filesMatching } from '../source-files.ts';
import type { Finding, Tree } from '../tree.ts';

export function checkDocumentLinks(tree: Tree): readonly Finding[] {
  return filesMatching(tree, /\.md$/).flatMap(({ path, text }) => {
    const prose = text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
    return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
      .map((match) => match[1] ?? '')
      .filter((target) => !/^(?:[a-z]+:|#)/.test(target))
      .filter(
        (target) => !exists(tree, posix.join(posix.dirname(path), target.split('#')[0] ?? '')),
      )
      .map((target) => ({ path, message: `links to ${target}, which does not exist` }));
  });
}

function exists(tree: Tree, target: string): boolean {
  const place = target.replace(/\/$/, '');
  return tree.has(place) || [...tree.keys()].some((path) => path.startsWith(`${place}/`));
}

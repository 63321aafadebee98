/*
 * Rule: names are kebab-case. Documents that the world expects in capitals
 * (README.md, LICENSE) and dot files of tools keep their names.
 */
import type { Finding, Tree } from '../tree.ts';

const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)*$/;
const capitals = /^(?:[A-Z]+(?:-[A-Z]+)*\.md|LICENSE)$/;

export function checkFileNames(tree: Tree): readonly Finding[] {
  return [...tree.keys()].flatMap((path) => {
    const bad = path
      .split('/')
      .find((part) => !part.startsWith('.') && !kebab.test(part) && !capitals.test(part));
    return bad === undefined ? [] : [{ path, message: `${bad} is not kebab-case` }];
  });
}

/*
 * Rule: nothing tells on whose machine it was made.
 *
 * No paths of somebody's disk, no address of a package registry or mirror.
 */
import type { Finding, Tree } from '../tree.ts';

/* Put together here, so that this file does not accuse itself. */
const forbidden: readonly (readonly [string, RegExp])[] = [
  ['a path of root', new RegExp(`(?<![\\w.])/${'root'}/[\\w.]`)],
  ['a path of a user', new RegExp(`(?<![\\w.])/(?:${'home'}|Users)/[a-z][\\w.-]*/`)],
  ['a package registry', new RegExp(`https?:/${'/'}[\\w.-]*(?:registry|mirror)[\\w.-]*[:/]`)],
];

export function checkMachineTraces(tree: Tree): readonly Finding[] {
  return [...tree].flatMap(([path, text]) =>
    forbidden
      .filter(([, pattern]) => pattern.test(text))
      .map(([name]) => ({ path, message: `names ${name}` })),
  );
}

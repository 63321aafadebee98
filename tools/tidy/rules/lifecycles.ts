/*
 * Rule: every lifecycle is drawn.
 *
 * A lifecycle is a pure transition, exported as `nextSomething`. The file that
 * exports it and the function are named in docs/lifecycles.md, in a section of
 * their own, as `packages/…/file.ts` and `nextSomething`. What that page
 * names must exist.
 */
import { shippedScripts } from '../source-files.ts';
import { stripComments } from '../strip-comments.ts';
import type { Finding, Tree } from '../tree.ts';

export const lifecyclesPath = 'docs/lifecycles.md';

export function checkLifecycles(tree: Tree): readonly Finding[] {
  const document = tree.get(lifecyclesPath) ?? '';
  const transitions = shippedScripts(tree).flatMap(({ path, text }) =>
    transitionsIn(text).map((name) => ({ path, name })),
  );
  const undocumented = transitions.flatMap(({ path, name }) =>
    document.includes(`\`${path}\``) && document.includes(`\`${name}\``)
      ? []
      : [{ path, message: `${name} is not drawn in ${lifecyclesPath}` }],
  );
  const namedPaths = [...document.matchAll(/`(packages\/[^`\s]+\.ts)`/g)].map((match) => match[1]);
  const namedFunctions = [...document.matchAll(/`(next[A-Z]\w*)`/g)].map((match) => match[1]);
  return [
    ...undocumented,
    ...namedPaths
      .filter((path) => !transitions.some((transition) => transition.path === path))
      .map((path) => ({ path: lifecyclesPath, message: `${path} exports no transition` })),
    ...namedFunctions
      .filter((name) => !transitions.some((transition) => transition.name === name))
      .map((name) => ({ path: lifecyclesPath, message: `${name} does not exist` })),
  ];
}

function transitionsIn(text: string): readonly string[] {
  const pattern = /^export (?:function|const) (next[A-Z]\w*)/gm;
  return [...stripComments(text).matchAll(pattern)].map((match) => match[1] ?? '');
}

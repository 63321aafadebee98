/*
 * Rule: a door lists what goes through it.
 *
 * No `export *`, which makes internals public by accident, and no default
 * exports, which give one thing as many names as it has users. Packages
 * that can be imported have exactly one door, src/index.ts.
 */
import { scripts } from '../source-files.ts';
import { stripComments } from '../strip-comments.ts';
import type { Finding, Tree } from '../tree.ts';

export function checkNamedExports(tree: Tree): readonly Finding[] {
  return scripts(tree).flatMap(({ path, text }) => {
    const code = stripComments(text);
    return [
      ...(/^\s*export\s*\*/m.test(code) ? [{ path, message: 'uses `export *`' }] : []),
      ...(/^\s*export\s+default\b|^\s*export\s*\{[^}]*\bas\s+default\b/m.test(code)
        ? [{ path, message: 'has a default export' }]
        : []),
    ];
  });
}

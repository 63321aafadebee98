/*
 * Rule: no `for await` over a stream in what runs in browsers.
 *
 * Safari has learned to iterate over a ReadableStream only lately, and not in every version since. A `getReader()` in try and finally works
 * everywhere. What a stream is cannot be seen in the text, so a loop may only go over a call of a function that the
 * package declares as an async generator, or over a name for which that is plain: everything else is refused.
 */
import { shippedScripts } from '../source-files.ts';
import { stripComments } from '../strip-comments.ts';
import type { Finding, Tree } from '../tree.ts';

const browserSafe = ['packages/kit/', 'packages/protocol/', 'packages/sdk/'] as const;

const loop = /\bfor await\s*\([^;]*?\bof\s+(?<what>[\w.#]+)(?<isCalled>\()?/g;
const generator = /\basync function\*\s*(?<name>\w+)/g;

export function checkStreamLoops(tree: Tree): readonly Finding[] {
  const scripts = shippedScripts(tree)
    .filter(({ path }) => browserSafe.some((start) => path.startsWith(start)))
    .map(({ path, text }) => ({ path, code: stripComments(text) }));
  const generators = new Set(
    scripts.flatMap(({ code }) =>
      [...code.matchAll(generator)].map(({ groups }) => groups?.['name']),
    ),
  );
  return scripts.flatMap(({ path, code }) =>
    [...code.matchAll(loop)]
      .filter(({ groups }) => groups?.['isCalled'] === undefined || !generators.has(groups['what']))
      .map(({ groups }) => ({
        path,
        message: `loops with for await over ${groups?.['what']}: Safari cannot iterate over a stream; use getReader() in try and finally`,
      })),
  );
}

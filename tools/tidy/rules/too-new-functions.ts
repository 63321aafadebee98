/*
 * Rule: what runs in browsers calls nothing that the oldest browsers of the app lack.
 *
 * The build (`target` in packages/web/build/app-config.ts) makes older syntax out of newer one, and leaves functions as they are: one that is
 * not there throws where it is called, in a browser that no test has. So the functions are named here that came after Safari 16.4 and
 * Chrome 111. What a method belongs to cannot be seen in the text: those of sets and iterators are known by the shape of their call.
 */
import { shippedScripts } from '../source-files.ts';
import { stripComments } from '../strip-comments.ts';
import type { Finding, Tree } from '../tree.ts';

const browserSafe = /^packages\/(?:kit|protocol|sdk|web)\/src\/(?!files\/)/;

const named = [
  'AbortSignal.any',
  'Array.fromAsync',
  'Error.isError',
  'Intl.DurationFormat',
  'Iterator.from',
  'Map.groupBy',
  'Math.sumPrecise',
  'Object.groupBy',
  'Promise.try',
  'Promise.withResolvers',
  'ReadableStream.from',
  'RegExp.escape',
  'URL.canParse',
  'URL.parse',
  'Uint8Array.fromBase64',
  'Uint8Array.fromHex',
] as const;

const ofSets =
  'union|intersection|difference|symmetricDifference|isSubsetOf|isSupersetOf|isDisjointFrom';
const ofIterators = 'map|filter|take|drop|flatMap|reduce|toArray|forEach|some|every|find';

const tooNew: readonly (readonly [string, RegExp])[] = [
  ...named.map((name) => [name, new RegExp(`\\b${name.replace('.', '\\s*\\.\\s*')}\\b`)] as const),
  // Schemas have unions, too.
  ['a method of Set', new RegExp(`(?<!\\bz\\s*)\\.(?:${ofSets})\\(`)],
  [
    'a method of Iterator',
    new RegExp(
      `\\.(?:(?:values|keys|entries)\\(\\s*\\)|matchAll\\([^()]*\\))\\s*\\.(?:${ofIterators})\\(`,
    ),
  ],
  ['toBase64 or toHex', /\.to(?:Base64|Hex)\(/],
  ['setFromBase64 or setFromHex', /\.setFrom(?:Base64|Hex)\(/],
];

export function checkTooNewFunctions(tree: Tree): readonly Finding[] {
  return shippedScripts(tree)
    .filter(({ path }) => browserSafe.test(path))
    .flatMap(({ path, text }) => {
      const code = stripComments(text);
      return tooNew
        .filter(([, pattern]) => pattern.test(code))
        .map(([name]) => ({
          path,
          message: `uses ${name}, which Safari 16.4 or Chrome 111 lack: see deferred and abortWith of kit, or write it out`,
        }));
    });
}

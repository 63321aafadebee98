/*
 * Too-new functions: what runs in browsers works in the oldest ones that the app is for.
 */
import { test } from 'node:test';
import { checkTooNewFunctions } from '../rules/too-new-functions.ts';
import { assertAccepted, assertObeyed, assertRefused } from './assertions.ts';

test('the repository calls nothing in browsers that the oldest of them lack', () => {
  assertObeyed(checkTooNewFunctions);
});

test('a function that they lack is refused in browser-safe packages', () => {
  assertRefused(
    checkTooNewFunctions,
    {
      'packages/sdk/src/a.ts': 'const either = AbortSignal.any([one, other]);',
      'packages/kit/src/b.ts': 'const { promise } = Promise.withResolvers<void>();',
      'packages/protocol/src/c.ts': 'export const groups = Object\n  .groupBy(rows, kindOf);',
      'packages/web/src/d.tsx': 'const isIn = URL.canParse(href);',
      'packages/web/src/worker/e.ts': 'const all = seen.union(other);',
      'packages/web/src/f.ts': 'const names = rows.values().map(nameOf);',
      'packages/web/src/g.ts': 'const found = text.matchAll(pattern)\n  .toArray();',
      'packages/sdk/src/h.ts': 'const text = bytes.toBase64();',
    },
    [/a\.ts/, /b\.ts/, /c\.ts/, /d\.tsx/, /e\.ts/, /f\.ts/, /g\.ts/, /h\.ts/],
  );
});

test('schemas, objects and arrays, what Node alone runs, and tests are left alone', () => {
  assertAccepted(checkTooNewFunctions, {
    'packages/protocol/src/a.ts': 'const one = z.union([a, b]);\nconst other = z\n  .union([a]);',
    'packages/web/src/b.ts': 'Object.values(rows).map(nameOf);\n[...rows.values()].map(nameOf);',
    'packages/web/src/c.ts': '// Not AbortSignal.any.\nrows.toSorted().findLast(isOpen);',
    'packages/gateway/src/d.ts': 'const either = AbortSignal.any([one, other]);',
    'packages/kit/src/files/e.ts': 'const { promise } = Promise.withResolvers();',
    'packages/sdk/test/f.test.ts': 'const { promise } = Promise.withResolvers();',
  });
});

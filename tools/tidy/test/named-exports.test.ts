/*
 * Named exports: the two forms that hide what a module offers.
 */
import { test } from 'node:test';
import { checkNamedExports } from '../rules/named-exports.ts';
import { assertAccepted, assertObeyed, assertRefused } from './assertions.ts';

test('the repository exports by name', () => {
  assertObeyed(checkNamedExports);
});

test('star exports and default exports are refused', () => {
  assertRefused(
    checkNamedExports,
    {
      'packages/kit/src/a.ts': `export * from './b.ts';`,
      'packages/kit/src/b.ts': `export * as all from './b.ts';`,
      'packages/kit/src/c.ts': 'export default function () {}',
      'packages/kit/src/d.ts': 'const d = 1;\nexport { d as default };',
    },
    [/a\.ts: uses `export \*`/, /b\.ts: uses/, /c\.ts: has a default/, /d\.ts: has a default/],
  );
});

test('the words in comments and strings are accepted', () => {
  assertAccepted(checkNamedExports, {
    'packages/kit/src/a.ts': `/*\nexport * from 'x'\nexport default 1\n*/\nexport const a = 1;`,
  });
});

/*
 * Time and chance: only kit may touch the real ones.
 */
import { test } from 'node:test';
import { checkTimeAndChance } from '../rules/time-and-chance.ts';
import { assertAccepted, assertObeyed, assertRefused } from './assertions.ts';

test('the repository takes time and chance from kit', () => {
  assertObeyed(checkTimeAndChance);
});

test('the real clock and real randomness are refused in shipped code', () => {
  assertRefused(
    checkTimeAndChance,
    {
      'packages/cli/src/a.ts': 'const a = Date.now();',
      'packages/cli/src/b.ts': 'setTimeout(() => {}, 1);',
      'packages/cli/src/c.ts': 'const c = Math.random();',
      'packages/cli/src/d.ts': `import { setTimeout as sleep } from 'node:timers/promises';`,
      'packages/cli/src/e.ts': 'const e = new Date();',
      'packages/cli/src/f.ts': `import { randomUUID } from 'node:crypto';`,
    },
    [
      /a\.ts/,
      /b\.ts/,
      /c\.ts/,
      /d\.ts: uses setTimeout/,
      /d\.ts: uses node:timers/,
      /e\.ts/,
      /f\.ts/,
    ],
  );
});

test('kit, testkit, tests, tools and comments may name them', () => {
  assertAccepted(checkTimeAndChance, {
    'packages/kit/src/clock.ts': 'Date.now();',
    'packages/testkit/src/a.ts': 'Date.now();',
    'packages/cli/test/a.test.ts': 'setTimeout(() => {}, 1);',
    'tools/bench/main.ts': 'performance.now();',
    'packages/cli/src/a.ts': '// not Date.now(), but the clock\nconst when = new Date(wallMs);',
  });
});

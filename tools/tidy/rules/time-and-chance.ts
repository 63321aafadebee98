/*
 * Rule: time and chance are passed in.
 *
 * Only kit touches the real clock and the real source of randomness. Tests and
 * tools may: they measure and they wait for real processes.
 */
import { shippedScripts } from '../source-files.ts';
import { stripComments } from '../strip-comments.ts';
import type { Finding, Tree } from '../tree.ts';

const forbidden: readonly (readonly [string, RegExp])[] = [
  ['Date.now', /\bDate\.now\b/],
  ['new Date()', /\bnew Date\(\s*\)/],
  ['performance.now', /\bperformance\.now\b/],
  ['process.hrtime', /\bprocess\.hrtime\b/],
  ['Math.random', /\bMath\.random\b/],
  ['randomness of its own', /\b(?:randomBytes|randomUUID|getRandomValues|randomInt)\b/],
  ['setTimeout', /\bsetTimeout\b/],
  ['setInterval', /\bsetInterval\b/],
  ['AbortSignal.timeout', /\bAbortSignal\.timeout\b/],
  ['node:timers', /['"]node:timers(?:\/promises)?['"]/],
];

export function checkTimeAndChance(tree: Tree): readonly Finding[] {
  return shippedScripts(tree)
    .filter(({ path }) => !path.startsWith('packages/kit/'))
    .flatMap(({ path, text }) => {
      const code = stripComments(text);
      return forbidden
        .filter(([, pattern]) => pattern.test(code))
        .map(([name]) => ({ path, message: `uses ${name}: take a Clock or Random from kit` }));
    });
}

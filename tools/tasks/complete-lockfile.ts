/*
 * `npm run lockfile`: names in each package-lock.json the optional packages of
 * other platforms that npm left out. There is one of the project, and one per
 * program that tests fetch on demand (packages/testkit/external).
 *
 * Why: a registry mirror may hold this platform's binaries only. `npm install`
 * then drops the others from the lockfile without a word, and `npm ci` refuses
 * that lockfile, because it counts them as missing. Entries without a hash
 * but with the right platform fields satisfy it: npm skips them everywhere
 * but on the platform that they name.
 *
 * Stages: find the optional dependencies that resolve to no entry; derive the
 * platform from the name (the packages concerned are all named after it);
 * write the lockfile back in npm's own order.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { parseLockfile, withMissingOptionals } from './lockfile.ts';

const paths = ['package-lock.json', ...globSync('packages/testkit/external/*/package-lock.json')];

for (const path of paths) {
  const { lockfile, added } = withMissingOptionals(parseLockfile(readFileSync(path, 'utf8')));
  if (added.length > 0) writeFileSync(path, `${JSON.stringify(lockfile, null, 2)}\n`);
  process.stdout.write(`${path}: ${added.length} optional packages of other platforms added\n`);
}

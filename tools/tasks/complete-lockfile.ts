/*
 * `npm run lockfile`: names in package-lock.json the optional packages of other
 * platforms that npm left out.
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
import { readFileSync, writeFileSync } from 'node:fs';
import { parseLockfile, withMissingOptionals } from './lockfile.ts';

const path = 'package-lock.json';
const before = readFileSync(path, 'utf8');
const { lockfile, added } = withMissingOptionals(parseLockfile(before));
if (added.length > 0) writeFileSync(path, `${JSON.stringify(lockfile, null, 2)}\n`);
process.stdout.write(`${path}: ${added.length} optional packages of other platforms added\n`);

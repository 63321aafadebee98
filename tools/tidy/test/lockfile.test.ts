/*
 * The lockfile: no registry, a hash for everything, no platform left out.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withMissingOptionals } from '../../tasks/lockfile.ts';
import { checkLockfile } from '../rules/lockfile.ts';
import { assertAccepted, assertObeyed, assertRefused } from './assertions.ts';

function lockfile(packages: Readonly<Record<string, object>>): Record<string, string> {
  return { 'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages }) };
}

test("the repository's lockfile pins by hash and names no registry", () => {
  assertObeyed(checkLockfile);
});

test('a link to a workspace and a stand-in for another platform are accepted', () => {
  assertAccepted(
    checkLockfile,
    lockfile({
      '': {},
      'packages/kit': { version: '0.1.0' },
      'node_modules/@clawdfather/kit': { resolved: 'packages/kit', link: true },
      'node_modules/a': { version: '1.0.0', integrity: 'sha512-x' },
      'node_modules/a-win32-x64': { version: '1.0.0', optional: true, cpu: ['x64'] },
    }),
  );
});

test('an address, a missing hash and a missing lockfile are refused', () => {
  assertRefused(
    checkLockfile,
    lockfile({
      'node_modules/a': { integrity: 'sha512-x', resolved: 'https://example.org/a.tgz' },
      'node_modules/b': { version: '1.0.0' },
    }),
    [/a names where it was fetched from/, /b has no hash/],
  );
  assertRefused(checkLockfile, {}, [/is missing/]);
});

test('an optional package that was left out is refused and can be added', () => {
  const packages = {
    'node_modules/a': {
      integrity: 'sha512-x',
      dev: true,
      optionalDependencies: { '@a/linux-x64-musl': '1.0.0', '@a/linux-x64': '1.0.0' },
    },
    'node_modules/a/node_modules/@a/linux-x64': { integrity: 'sha512-y' },
  };
  assertRefused(checkLockfile, lockfile(packages), [/linux-x64-musl is left out/]);
  const completed = withMissingOptionals({ packages });
  assert.deepEqual(completed.lockfile.packages['node_modules/@a/linux-x64-musl'], {
    version: '1.0.0',
    cpu: ['x64'],
    dev: true,
    libc: ['musl'],
    optional: true,
    os: ['linux'],
  });
});

/*
 * Install scripts: none is announced by the lockfile, and none is in what was installed by it.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { parseLockfile } from '../../tasks/lockfile.ts';
import { checkInstallScripts } from '../rules/install-scripts.ts';
import { assertAccepted, assertObeyed, assertRefused } from './assertions.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const none = { 'package.json': '{"allowScripts":{}}' };

function lockfile(packages: Readonly<Record<string, object>>): Record<string, string> {
  return { 'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages }) };
}

test('no dependency of the repository has an install script', () => {
  assertObeyed(checkInstallScripts);
});

test('a dependency with an install script is refused, one without is not', () => {
  const plain = { 'node_modules/a': { version: '1.0.0' } };
  assertAccepted(checkInstallScripts, { ...none, ...lockfile(plain) });
  const scripted = { ...plain, 'node_modules/b': { version: '1.0.0', hasInstallScript: true } };
  assertRefused(checkInstallScripts, { ...none, ...lockfile(scripted) }, [
    /node_modules\/b has an install script/,
  ]);
});

test('a list of allowed scripts that is missing or names a package is refused', () => {
  const wanted = [/allowScripts has to be there, and empty/];
  assertRefused(checkInstallScripts, lockfile({}), wanted);
  const named = { 'package.json': '{"allowScripts":{"a":true}}' };
  assertRefused(checkInstallScripts, { ...named, ...lockfile({}) }, wanted);
});

test('what is installed has no install script either, and nothing that npm would compile', () => {
  const { packages } = parseLockfile(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const places = Object.keys(packages).filter((place) => place.includes('node_modules/'));
  const installed = places.filter((place) => existsSync(join(root, place, 'package.json')));
  assert.ok(installed.length > 100, 'the packages are there to be looked at');
  const scripted = installed.filter((place) => {
    const manifest = JSON.parse(readFileSync(join(root, place, 'package.json'), 'utf8')) as {
      readonly scripts?: Readonly<Record<string, string>>;
      readonly gypfile?: boolean;
    };
    const names = ['preinstall', 'install', 'postinstall'] as const;
    const isCompiled = manifest.gypfile !== false && existsSync(join(root, place, 'binding.gyp'));
    return isCompiled || names.some((name) => manifest.scripts?.[name] !== undefined);
  });
  assert.deepEqual(scripted, []);
});

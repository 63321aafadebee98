/*
 * The README's example is the file that is run here, as it stands; and the library needs nothing else.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createRig } from './rig.ts';

const fileOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const example = fileOf('examples/hello.ts');

test('the example runs and prints what the README says', async (t) => {
  const rig = createRig(t);
  const args = ['--conditions=@clawdfather/source', example, rig.stateDir];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  assert.equal(stderr, '');
  const readme = readFileSync(fileOf('README.md'), 'utf8');
  const transcript = /```console\n\$ [^\n]*\n([^`]*)```/.exec(readme)?.[1];
  assert.equal(stdout, transcript);
});

test('the README shows the example as it is, in at most 22 lines', () => {
  const readme = readFileSync(fileOf('README.md'), 'utf8');
  const shown = /```ts\n([^`]*)```/.exec(
    readme.replaceAll('`${', '\u0000').replaceAll('\\n`', '\u0001'),
  )?.[1];
  const text = shown?.replaceAll('\u0000', '`${').replaceAll('\u0001', '\\n`');
  const source = readFileSync(example, 'utf8').replace(/^\/\*[^]*?\*\/\n/, '');
  assert.equal(text, source);
  assert.ok(source.trimEnd().split('\n').length <= 22);
});

test('the library depends on kit, shim and sqlite alone', () => {
  const manifest = JSON.parse(readFileSync(fileOf('package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  assert.deepEqual(Object.keys(manifest.dependencies).sort(), [
    '@clawdfather/kit',
    '@clawdfather/shim',
    '@clawdfather/sqlite',
  ]);
});

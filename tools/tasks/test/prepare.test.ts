/*
 * What `npm ci` ends with: the pinned Node is where scripts find it, and it builds the shim. Each test is a small checkout of
 * its own, with a script in Node's place that says how it was called.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';

const preparePath = join(import.meta.dirname, '../prepare.js');
const program = `node-${process.platform}-${process.arch}/bin/node`;
const buildPath = 'packages/shim/build/build.ts';

function makeCheckout(context: TestContext, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'clf-prepare-'));
  context.after(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode: 0o755 });
  }
  mkdirSync(join(root, 'tools/tasks'), { recursive: true });
  copyFileSync(preparePath, join(root, 'tools/tasks/prepare.js'));
  return root;
}

function prepare(root: string) {
  const env = { ...process.env, NODE_OPTIONS: '' };
  const script = join(root, 'tools/tasks/prepare.js');
  return spawnSync(process.execPath, [script], { encoding: 'utf8', env });
}

test('the Node of this platform gets the name that scripts use, whatever had it, and builds', (context) => {
  const root = makeCheckout(context, {
    [`node_modules/${program}`]: '#!/bin/sh\necho "pinned $2"\n',
    [buildPath]: '',
  });
  mkdirSync(join(root, 'node_modules/.bin'));
  symlinkSync('../node-of-another-kind/bin/node', join(root, 'node_modules/.bin/node'));
  const { stdout, stderr, status } = prepare(root);
  assert.deepEqual({ stderr, status }, { stderr: '', status: 0 });
  assert.equal(stdout, `pinned ${join(root, buildPath)}\n`);
  assert.equal(readlinkSync(join(root, 'node_modules/.bin/node')), `../${program}`);
});

test('without it, a Node that is recent enough builds', (context) => {
  const root = makeCheckout(context, { [buildPath]: 'process.stdout.write(process.version);' });
  assert.equal(prepare(root).stdout, process.version);
});

test('a shim that cannot be built fails the installation, and says what is needed', (context) => {
  const root = makeCheckout(context, { [buildPath]: 'process.exitCode = 3;' });
  const { status, stderr } = prepare(root);
  assert.equal(status, 1);
  assert.match(stderr, /needs a C compiler/);
});

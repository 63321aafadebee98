/*
 * Directories that are held open: what another program of the same user moves or puts in their place leads us nowhere, neither at once nor in
 * the middle of a removal.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  below,
  holdDirectory,
  holdPrivateDir,
  holdPrivateDirIn,
  removeBelow,
  type Unsafe,
} from '../../src/files/index.ts';

const refuse = ({ path, why }: Unsafe): Error => new Error(`${path}: ${why}`);

function tempDir(context: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'clf-held-'));
  context.after(() => rmSync(path, { recursive: true }));
  return path;
}

test('what is made in a directory that is held lies in it, wherever its name leads by then', async (context) => {
  const root = tempDir(context);
  mkdirSync(join(root, 'elsewhere'));
  await using held = await holdPrivateDir(join(root, 'ours'), refuse);
  renameSync(join(root, 'ours'), join(root, 'moved'));
  symlinkSync('elsewhere', join(root, 'ours'));
  await using inner = await holdPrivateDirIn(held, join(root, 'ours', 'inner'), refuse);
  await writeFile(below(inner, 'file'), '');
  assert.ok(existsSync(join(root, 'moved/inner/file')));
  assert.deepEqual(readdirSync(join(root, 'elsewhere')), []);
});

test('a link or a file is taken for no directory, and one that is open to others is closed', async (context) => {
  const root = tempDir(context);
  for (const name of ['elsewhere', 'open']) mkdirSync(join(root, name));
  chmodSync(join(root, 'open'), 0o755);
  symlinkSync('elsewhere', join(root, 'link'));
  writeFileSync(join(root, 'file'), '');
  await using held = await open(root);
  for (const name of ['link', 'file']) {
    const path = join(root, name);
    const refused = { message: new RegExp(`^${path}: it is `) };
    await assert.rejects(holdDirectory(path, refuse), refused);
    await assert.rejects(holdPrivateDir(path, refuse), refused);
    await assert.rejects(holdPrivateDirIn(held, path, refuse), refused);
  }
  assert.equal(await holdDirectory(join(root, 'none'), refuse), undefined);
  await using _open = await holdPrivateDirIn(held, join(root, 'open'), refuse);
  assert.equal(statSync(join(root, 'open')).mode & 0o777, 0o700);
});

test('all of a tree is removed, names that are no text included, and nothing that a link leads to', async (context) => {
  const root = tempDir(context);
  mkdirSync(join(root, 'kept'));
  writeFileSync(join(root, 'kept/file'), '');
  for (const path of ['tree', 'tree/a', 'tree/a/b']) mkdirSync(join(root, path));
  for (let count = 0; count < 200; count += 1) writeFileSync(join(root, `tree/a/${count}`), '');
  symlinkSync('../../kept', join(root, 'tree/a/link'));
  symlinkSync('kept', join(root, 'link'));
  writeFileSync(Buffer.concat([Buffer.from(join(root, 'tree/')), Buffer.of(0xff, 0xfe)]), '');
  await using held = await open(root);
  for (const name of ['tree', 'link', 'never']) await removeBelow(held, name);
  assert.deepEqual(readdirSync(root), ['kept']);
  assert.deepEqual(readdirSync(join(root, 'kept')), ['file']);
});

test('a tree that is deeper than anything of ours stays, and a removal that is aborted stops', async (context) => {
  const root = tempDir(context);
  mkdirSync(join(root, ...Array.from({ length: 150 }, () => 'd')), { recursive: true });
  await using held = await open(root);
  await assert.rejects(removeBelow(held, 'd'), { code: 'ENAMETOOLONG' });
  const aborted = AbortSignal.abort(new Error('enough'));
  await assert.rejects(removeBelow(held, 'd', aborted), /enough/);
  assert.deepEqual(readdirSync(root), ['d']);
});

/* Swaps a directory and a link to another one, as fast as it can. */
const swapper = `
const { renameSync, symlinkSync } = require('node:fs');
const [directory, target] = process.argv.slice(1);
symlinkSync(target, directory + '.link');
console.log('ready');
const move = (from, to) => { try { renameSync(directory + from, directory + to); } catch {} };
for (;;) { move('', '.aside'); move('.link', ''); move('', '.link'); move('.aside', ''); }
`;

test('a directory that is swapped for a link while it is removed leads to no other one', async (context) => {
  const root = tempDir(context);
  const names = Array.from({ length: 50 }, (_, index) => `f${index}`);
  const kept = join(root, 'kept');
  mkdirSync(kept);
  for (const name of names) writeFileSync(join(kept, name), '');
  await using held = await open(root);
  for (let round = 0; round < 10; round += 1) {
    mkdirSync(join(root, 'old/d'), { recursive: true });
    for (const name of names) writeFileSync(join(root, 'old/d', name), '');
    const child = spawn(process.execPath, ['-e', swapper, join(root, 'old/d'), kept]);
    try {
      await once(child.stdout, 'data');
      for (let tries = 0; tries < 20; tries += 1) {
        // What is swapped meanwhile may stay for the next time.
        await removeBelow(held, 'old').catch(() => undefined);
      }
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await removeBelow(held, 'old');
    assert.equal(readdirSync(kept).length, names.length, `round ${round}`);
  }
});

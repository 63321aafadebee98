/*
 * Directories that somebody else has made, and goes on changing: nothing outside is read, nothing is waited for, and what is not kept is named.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, renameSync, symlinkSync, truncateSync } from 'node:fs';
import { chmod, link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ArtifactTree, FoundFile } from '../../src/artifacts/artifact-tree.ts';
import { createLocalTree, type OnStep } from '../../src/artifacts/local-tree.ts';
import { entriesMax } from '../../src/artifacts/limits.ts';

const { signal } = new AbortController();

interface Place extends AsyncDisposable {
  readonly root: string;
  readonly outside: string;
  in(...names: readonly string[]): string;
  tree(onStep?: OnStep): ArtifactTree;
}

async function openPlace(): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), 'clf-tree-'));
  const root = join(directory, 'project');
  const outside = join(directory, 'outside');
  await mkdir(join(root, 'dist'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, 'secret'), 'secret');
  return {
    root,
    outside,
    in: (...names) => join(root, 'dist', ...names),
    tree: (onStep) => createLocalTree(root, onStep),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

async function listed(tree: ArtifactTree) {
  const { files, missing } = await tree.list(['dist', 'reports'], signal);
  return {
    files: files.map(({ path }) => path),
    missing: missing.items.map(({ path, reason }) => `${path}: ${reason}`),
    count: missing.count,
  };
}

async function readOf(tree: ArtifactTree, path: string) {
  const pieces: Buffer[] = [];
  const file: FoundFile = { path, sizeBytes: 0, modifiedAtMs: 0 };
  const outcome = await tree.read(
    file,
    async (piece) => void pieces.push(Buffer.from(piece)),
    signal,
  );
  return { outcome, text: Buffer.concat(pieces).toString() };
}

test('links, pipes, sockets and devices are named, and none is opened', async (context) => {
  await using place = await openPlace();
  await symlink(join(place.outside, 'secret'), place.in('file-link'));
  await symlink(place.outside, place.in('dir-link'));
  await symlink(place.outside, join(place.root, 'reports'));
  execFileSync('mkfifo', [place.in('pipe')]);
  const server = createServer().listen(place.in('socket'));
  await once(server, 'listening');
  await writeFile(place.in('good'), 'good');
  assert.deepEqual(await listed(place.tree()), {
    files: ['dist/good'],
    missing: [
      'dist/dir-link: symlink',
      'dist/file-link: symlink',
      'dist/pipe: not-a-file',
      'dist/socket: not-a-file',
      'reports: symlink',
    ],
    count: 5,
  });
  // Also when one is named straight, as after a swap.
  for (const [name, reason] of [
    ['dist/file-link', 'symlink'],
    ['dist/dir-link/secret', 'symlink'],
    ['reports/secret', 'symlink'],
    ['dist/pipe', 'not-a-file'],
    ['dist/socket', 'not-a-file'],
    ['dist', 'not-a-file'],
    ['dist/none', 'vanished'],
  ] as const) {
    assert.deepEqual(await readOf(place.tree(), name), { outcome: reason, text: '' }, name);
  }
  server.close();
  await once(server, 'close');
  try {
    execFileSync('mknod', [place.in('device'), 'c', '1', '3'], { stdio: 'ignore' });
  } catch {
    return context.diagnostic('no devices can be made here');
  }
  assert.deepEqual((await readOf(place.tree(), 'dist/device')).outcome, 'not-a-file');
});

test('a directory that is swapped for a link while it is walked, or before it is read, leads nowhere', async () => {
  await using place = await openPlace();
  await mkdir(place.in('a'));
  await writeFile(place.in('a/secret'), 'harmless');
  const tree = place.tree();
  assert.deepEqual((await listed(tree)).files, ['dist/a/secret']);
  renameSync(place.in('a'), place.in('b'));
  symlinkSync(place.outside, place.in('a'));
  assert.deepEqual(await readOf(tree, 'dist/a/secret'), { outcome: 'symlink', text: '' });
  // The whole of it, too.
  renameSync(join(place.root, 'dist'), join(place.root, 'old'));
  symlinkSync(place.outside, join(place.root, 'dist'));
  assert.deepEqual(await readOf(tree, 'dist/secret'), { outcome: 'symlink', text: '' });
});

test('while somebody swaps a directory and a link all the time, nothing from outside is ever read', async () => {
  await using place = await openPlace();
  await mkdir(place.in('a'));
  await writeFile(place.in('a/secret'), 'harmless');
  const tree = place.tree();
  const seen = new Set<string>();
  for (let round = 0; round < 60; round += 1) {
    const reading = readOf(tree, 'dist/a/secret');
    const listing = listed(tree);
    if (round % 2 === 0) {
      renameSync(place.in('a'), place.in('real'));
      symlinkSync(place.outside, place.in('a'));
    } else {
      renameSync(place.in('a'), place.in(`link-${round}`));
      renameSync(place.in('real'), place.in('a'));
    }
    seen.add((await reading).text);
    assert.ok(!(await listing).files.some((path) => path.includes('link-')));
  }
  assert.ok(!seen.has('secret'), [...seen].join());
});

test('names that are no text or would spoil a line are named, escaped; what turns the writing is kept', async () => {
  await using place = await openPlace();
  await writeFile(place.in('new\nline'), 'x');
  await writeFile(Buffer.concat([Buffer.from(place.in('bad-')), Buffer.from([0xff, 0xfe])]), 'x');
  await writeFile(place.in('turn\u202etxt.exe'), 'x');
  await writeFile(place.in('-rf'), 'x');
  const found = await listed(place.tree());
  assert.deepEqual(found.files, ['dist/-rf', 'dist/turn\u202etxt.exe']);
  assert.deepEqual(found.missing.toSorted(), [
    'dist/bad-\ufffd\ufffd: odd-name',
    'dist/new\\x0aline: odd-name',
  ]);
});

test('a sparse file of 100 GB is too large, at once; one that may not be read is unreadable', async () => {
  await using place = await openPlace();
  await writeFile(place.in('huge'), '');
  truncateSync(place.in('huge'), 100 * 1024 ** 3);
  await writeFile(place.in('locked'), 'x');
  await chmod(place.in('locked'), 0o000);
  const tree = place.tree();
  assert.deepEqual((await listed(tree)).missing, ['dist/huge: too-large']);
  assert.equal((await readOf(tree, 'dist/huge')).outcome, 'too-large');
  if (process.getuid?.() !== 0) {
    assert.equal((await readOf(tree, 'dist/locked')).outcome, 'unreadable');
  }
});

test('of more entries than a walk takes, some are looked at, and the rest is said to be missing', async () => {
  await using place = await openPlace();
  execFileSync('sh', ['-c', 'seq 12000 | xargs touch'], { cwd: place.in() });
  const found = await listed(place.tree());
  assert.equal(found.files.length, entriesMax);
  assert.deepEqual(found.missing, ['dist: too-many']);
});

test('what is nested too deep is named; hard links are files', async () => {
  await using place = await openPlace();
  const deep = place.in(...Array.from({ length: 40 }, (_, index) => `d${index}`));
  mkdirSync(deep, { recursive: true });
  await writeFile(join(deep, 'x'), 'x');
  await writeFile(place.in('one'), 'same');
  await link(place.in('one'), place.in('two'));
  const found = await listed(place.tree());
  assert.deepEqual(found.files, ['dist/one', 'dist/two']);
  assert.equal(found.count, 1);
  assert.match(found.missing[0] ?? '', /: too-deep$/);
});

test('a file that grows, shrinks or is touched while it is read is not taken', async () => {
  await using place = await openPlace();
  await writeFile(place.in('log'), 'first');
  const growing = place.tree((step) => {
    if (step === 'before-read') appendFileSync(place.in('log'), 'x'.repeat(10_000));
  });
  const grown = await readOf(growing, 'dist/log');
  assert.equal(grown.outcome, 'changed');
  assert.equal(grown.text, 'first', 'no more than it had when it was opened');
  const shrinking = place.tree((step) => {
    if (step === 'before-read') truncateSync(place.in('log'), 1);
  });
  assert.equal((await readOf(shrinking, 'dist/log')).outcome, 'changed');
  const after = place.tree((step) => {
    if (step === 'after-read') appendFileSync(place.in('log'), 'y');
  });
  assert.equal((await readOf(after, 'dist/log')).outcome, 'changed');
  assert.equal(typeof (await readOf(place.tree(), 'dist/log')).outcome, 'object');
});

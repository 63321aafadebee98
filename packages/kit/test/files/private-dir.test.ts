/*
 * Directories and files of ours: made closed, closed when an older version left them open, refused when another user may have
 * written there. Which paths are trusted is in the command line's tests, with real users.
 */
import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  closeToOthers,
  findUnsafe,
  makePrivateFile,
  makeTrustedDir,
  openPrivateDir,
  shellWord,
  type Unsafe,
} from '../../src/files/index.ts';

const refuse = ({ path, why, cure }: Unsafe): Error => new Error(`${path}: ${why}: ${cure}`);
const modeOf = (path: string): number => statSync(path).mode & 0o777;

/* Others can enter it, so that what is open in it is open. */
function tempDir(context: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'clf-kit-'));
  context.after(() => rmSync(path, { recursive: true }));
  chmodSync(path, 0o755);
  return path;
}

function makeOpen(path: string, mode: number): string {
  mkdirSync(path);
  chmodSync(path, mode);
  return path;
}

test('a directory is made with what is missing above it, closed whatever the umask is', (context) => {
  const root = tempDir(context);
  const before = process.umask(0);
  context.after(() => process.umask(before));
  openPrivateDir(join(root, 'a', 'b'), refuse);
  makeTrustedDir(join(root, 'c', 'd'), refuse);
  for (const path of ['a', 'a/b', 'c', 'c/d']) assert.equal(modeOf(join(root, path)), 0o700, path);
});

test('one that others could only read is closed; so is an empty one that they could write to', (context) => {
  const root = tempDir(context);
  const readable = makeOpen(join(root, 'readable'), 0o755);
  writeFileSync(join(readable, 'file'), '');
  const empty = makeOpen(join(root, 'empty'), 0o777);
  for (const path of [readable, empty]) {
    openPrivateDir(path, refuse);
    assert.equal(modeOf(path), 0o700);
  }
});

test('one with something in it that others could write to is refused, with what to type', (context) => {
  const path = makeOpen(join(tempDir(context), 'state'), 0o777);
  writeFileSync(join(path, 'file'), '');
  assert.throws(() => openPrivateDir(path, refuse), {
    message: `${path}: others could write to it, so what is in it may be theirs: chmod 700 ${path}, after a look at what is in it: ls -lA ${path}`,
  });
  assert.equal(modeOf(path), 0o777, 'and left as it is');
});

test('below a directory that others cannot enter, it is closed and used', (context) => {
  const root = tempDir(context);
  const path = makeOpen(join(makeOpen(join(root, 'home'), 0o700), 'state'), 0o777);
  writeFileSync(join(path, 'file'), '');
  openPrivateDir(path, refuse);
  assert.equal(modeOf(path), 0o700);
});

test('a link, a file and a directory below an open one are refused', (context) => {
  const root = tempDir(context);
  symlinkSync(root, join(root, 'link'));
  assert.throws(() => openPrivateDir(join(root, 'link'), refuse), /it is a symbolic link/);
  writeFileSync(join(root, 'file'), '');
  assert.throws(() => openPrivateDir(join(root, 'file'), refuse), /it is not a directory/);
  assert.throws(() => openPrivateDir(join(root, 'file', 'a'), refuse), /it is not a directory/);
  const open = makeOpen(join(root, 'open'), 0o777);
  assert.throws(() => openPrivateDir(join(open, 'a'), refuse), {
    message: `${open}: everybody can write to it: chmod go-w ${open}`,
  });
});

test('a loop of links is refused', (context) => {
  const root = tempDir(context);
  symlinkSync('two', join(root, 'one'));
  symlinkSync('one', join(root, 'two'));
  assert.match(findUnsafe(join(root, 'one', 'a'))?.why ?? '', /too many links/);
});

test('a file is judged like what leads to it, and what is not there is no danger', (context) => {
  const root = tempDir(context);
  const file = join(root, 'file');
  assert.equal(findUnsafe(file), undefined);
  writeFileSync(file, '');
  chmodSync(file, 0o644);
  assert.equal(findUnsafe(file), undefined);
  chmodSync(file, 0o666);
  assert.equal(findUnsafe(file)?.cure, `chmod go-w ${file}`);
  assert.throws(() => findUnsafe('relative'), TypeError);
});

test('a file is made closed, and one that is there is closed without being opened', (context) => {
  const root = tempDir(context);
  const before = process.umask(0);
  context.after(() => process.umask(before));
  const file = join(root, 'database');
  makePrivateFile(file);
  assert.equal(modeOf(file), 0o600);
  chmodSync(file, 0o664);
  makePrivateFile(file);
  assert.equal(modeOf(file), 0o600);
  closeToOthers(join(root, 'absent'));
});

test('a word is quoted as a shell reads it', () => {
  assert.equal(shellWord('/srv/a-b/.cache'), '/srv/a-b/.cache');
  assert.equal(shellWord("/a b/it's"), String.raw`'/a b/it'\''s'`);
});

test('what others could write to inside of one that they could enter is refused before it is closed', (context) => {
  const root = tempDir(context);
  for (const make of [
    (path: string) => makeOpen(path, 0o777),
    (path: string) => {
      writeFileSync(path, '');
      chmodSync(path, 0o666);
    },
  ]) {
    const state = makeOpen(join(root, 'state'), 0o755);
    const inside = join(state, 'inside');
    make(inside);
    assert.throws(() => openPrivateDir(state, refuse), {
      message: `${inside}: others could write to it, so what is in it may be theirs: chmod go-w ${inside}, after a look at what is in it: ls -lA ${inside}`,
    });
    assert.equal(modeOf(state), 0o755, 'untouched, so that the next start says it again');
    chmodSync(inside, 0o700);
    openPrivateDir(state, refuse);
    assert.equal(modeOf(state), 0o700);
    rmSync(state, { recursive: true });
  }
});

/*
 * Which directories are trusted: one table for the rule in kit and for its copy in the launcher, as an ordinary user of a real
 * machine sees them. The launcher shows what it thinks by using the directory for compiled code.
 */
import assert from 'node:assert/strict';
import { lchownSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTwoUsers, type Entry, needsRoot, own } from '../support/two-users.ts';

const main = `const { getCompileCacheDir } = require('node:module');
process.stdout.write(getCompileCacheDir() === undefined ? 'unsafe' : 'trusted');`;

interface Case {
  readonly name: string;
  readonly above?: Entry;
  readonly base: Entry;
  readonly gid?: number;
  readonly isTrusted: boolean;
}

test('kit and the launcher trust the same directories', needsRoot, (context) => {
  const users = createTwoUsers(context, main);
  const [us, other] = [users.us.uid, users.other.uid];
  const { emptyGid } = users;
  const cases: readonly Case[] = [
    { name: 'ours, closed', base: { uid: us, mode: 0o700 }, isTrusted: true },
    { name: 'ours, readable', base: { uid: us, mode: 0o755 }, isTrusted: true },
    { name: 'ours, of a group with others', base: { uid: us, mode: 0o775 }, isTrusted: false },
    {
      name: 'ours, of a group that is ours alone',
      base: { uid: us, gid: emptyGid, mode: 0o775 },
      gid: emptyGid,
      isTrusted: true,
    },
    {
      name: 'ours, of an empty group that is not ours',
      base: { uid: us, gid: emptyGid, mode: 0o775 },
      isTrusted: false,
    },
    { name: 'ours, open to all', base: { uid: us, mode: 0o777 }, isTrusted: false },
    { name: "root's, open to all", base: { uid: 0, mode: 0o777 }, isTrusted: false },
    { name: "root's, like /tmp", base: { uid: 0, mode: 0o1777 }, isTrusted: true },
    { name: "another user's, like /tmp", base: { uid: other, mode: 0o1777 }, isTrusted: false },
    {
      name: 'open to all, below one of ours that others cannot enter',
      above: { uid: us, mode: 0o700 },
      base: { uid: us, mode: 0o777 },
      isTrusted: true,
    },
    {
      name: 'closed, below one that others can write to',
      above: { uid: us, mode: 0o777 },
      base: { uid: us, mode: 0o700 },
      isTrusted: false,
    },
    {
      name: "closed, below another user's",
      above: { uid: other, mode: 0o755 },
      base: { uid: us, mode: 0o700 },
      isTrusted: false,
    },
  ];
  for (const { name, above = { uid: us, mode: 0o755 }, base, gid, isTrusted } of cases) {
    const top = users.make(join(users.root, 'case'), { ...above, mode: 0o755 });
    const path = users.make(join(top, 'cache'), base);
    own(top, above);
    const wanted = isTrusted ? 'trusted' : 'unsafe';
    const options = gid === undefined ? {} : { gid };
    assert.equal(ask(path, options), wanted, `kit: ${name}`);
    const env = { XDG_CACHE_HOME: path };
    assert.equal(users.launch(users.us, { ...options, env }), wanted, `launcher: ${name}`);
    rmSync(top, { recursive: true });
  }

  function ask(path: string, options: { readonly gid?: number } = {}): string {
    const rule = join(users.root, 'kit/files/index.ts');
    const program = `import { findUnsafe } from ${JSON.stringify(rule)};
      process.stdout.write(findUnsafe(${JSON.stringify(path)}) === undefined ? 'trusted' : 'unsafe');`;
    return users.run(users.us, ['node', '--input-type=module', '-e', program], options);
  }

  const home = users.make(join(users.root, 'real'), { uid: us, mode: 0o755 });
  for (const [uid, wanted] of [
    [us, 'trusted'],
    [0, 'trusted'],
    [other, 'unsafe'],
  ] as const) {
    const link = join(users.root, 'link');
    symlinkSync(home, link);
    lchownSync(link, uid, uid);
    assert.equal(ask(join(link, 'state')), wanted, `a link of user ${uid}`);
    rmSync(link);
  }
});

test('a user whose cache lies below a link of root has one all the same', needsRoot, (context) => {
  const users = createTwoUsers(context, main);
  mkdirSync(join(users.root, 'homes'));
  const real = users.make(join(users.root, 'homes/me'), { uid: users.us.uid, mode: 0o700 });
  symlinkSync(join(users.root, 'homes'), join(users.root, 'home'));
  const env = { XDG_CACHE_HOME: join(users.root, 'home', 'me') };
  assert.equal(users.launch(users.us, { env }), 'trusted');
  assert.ok(real.startsWith(users.root));
});

test("nothing is left in another user's home", needsRoot, (context) => {
  const users = createTwoUsers(context, main);
  const home = users.make(join(users.root, 'theirs'), { uid: users.other.uid, mode: 0o777 });
  assert.equal(users.launch(users.us, { env: { HOME: home } }), 'unsafe');
  assert.deepEqual(readdirSync(home), []);
});

test('a variable that is no absolute path counts for nothing', needsRoot, (context) => {
  const users = createTwoUsers(context, main);
  assert.equal(users.launch(users.us, { env: { XDG_CACHE_HOME: 'relative' } }), 'trusted');
  assert.deepEqual(readdirSync(join(users.us.home, '.cache/clawdfather')), ['code']);
});

/*
 * Code that another user of this machine has put where ours is kept compiled. Two real users who share a group; the planted code
 * is what Node itself compiled from other source of the same length, with the header that makes Node take it for ours.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { createTwoUsers, needsRoot, own, type TwoUsers, type User } from '../support/two-users.ts';

const genuine = `process.stdout.write('genuine');`;
const planted = genuine.replace('genuine', 'planted');

/* Of an entry's header: the length and the hash of the source that it was made from. */
const [sourceSizeAt, sourceHashAt] = [4, 12];

/* What the cache of this user holds for the launched program. */
function entriesOf({ root }: TwoUsers, cache: string): string[] {
  assert.ok(cache.startsWith(root));
  return globSync(`${cache}/clawdfather/*/*/*`);
}

/* Bytes that Node runs in the place of the genuine program, without looking at its source. */
function plantedEntry(users: TwoUsers, genuineEntry: Buffer): Buffer {
  const cache = join(users.root, 'workshop');
  const program = join(users.root, 'planted.cjs');
  writeFileSync(program, planted);
  users.make(cache, { uid: users.other.uid, mode: 0o700 });
  const env = { NODE_COMPILE_CACHE: cache };
  assert.equal(users.run(users.other, ['node', program], { env }), 'planted');
  const [made = ''] = globSync(`${cache}/*/*`);
  const bytes = readFileSync(made);
  for (const at of [sourceSizeAt, sourceHashAt]) genuineEntry.copy(bytes, at, at, at + 4);
  return bytes;
}

/* The entry of the program, found by what it was made from: the launcher has one, too. */
function entryOfMain(
  users: TwoUsers,
  user: User,
): { readonly path: string; readonly bytes: Buffer } {
  const cache = users.make(join(users.root, 'cache-of-their-own'), { uid: user.uid, mode: 0o700 });
  assert.equal(users.launch(user, { env: { XDG_CACHE_HOME: cache } }), 'genuine');
  const entries = entriesOf(users, cache).map((path) => ({ path, bytes: readFileSync(path) }));
  const found = entries.find(({ bytes }) => bytes.readUInt32LE(sourceSizeAt) === genuine.length);
  assert.ok(found !== undefined, 'the program was compiled and kept');
  return found;
}

test('the attack works on a cache that is used without a look', needsRoot, (context) => {
  const users = createTwoUsers(context, genuine);
  const { bytes } = entryOfMain(users, users.other);
  // Our own cache, and the other user's bytes: what happens if anything lets them in.
  assert.equal(users.launch(users.us, {}), 'genuine');
  const kept = entriesOf(users, join(users.us.home, '.cache'));
  const entry = kept.find(
    (path) => readFileSync(path).readUInt32LE(sourceSizeAt) === genuine.length,
  );
  writeFileSync(entry ?? '', plantedEntry(users, bytes));
  assert.equal(users.launch(users.us, {}), 'planted');
});

test(
  'with umask 002 and a shared group, nothing that is kept can be written by another user',
  needsRoot,
  (context) => {
    const users = createTwoUsers(context, genuine);
    users.make(join(users.us.home, '.cache'), { uid: users.us.uid, mode: 0o755 });
    const options = { umask: '002' };
    assert.equal(users.launch(users.us, options), 'genuine');
    const kept = entriesOf(users, join(users.us.home, '.cache'));
    assert.ok(kept.length > 0, 'the cache is used');
    const bytes = plantedEntry(users, readFileSync(entryOfMain(users, users.other).path));
    const source = join(users.root, 'planted.bytes');
    writeFileSync(source, bytes);
    for (const path of kept) {
      assert.throws(
        () => users.run(users.other, ['cp', '--remove-destination', source, path]),
        /Permission denied/,
      );
    }
    assert.equal(users.launch(users.us, options), 'genuine');
  },
);

test(
  'a cache in a directory that the group can write to is not used, whatever lies in it',
  needsRoot,
  (context) => {
    const users = createTwoUsers(context, genuine);
    const cache = users.make(join(users.us.home, '.cache'), { uid: users.us.uid, mode: 0o775 });
    plantEverywhere(users, cache);
    assert.equal(users.launch(users.us, { umask: '002' }), 'genuine');
  },
);

test("a cache below another user's directory is not used", needsRoot, (context) => {
  const users = createTwoUsers(context, genuine);
  const cache = users.make(join(users.root, 'shared'), { uid: users.other.uid, mode: 0o1777 });
  plantEverywhere(users, cache);
  assert.equal(users.launch(users.us, { env: { XDG_CACHE_HOME: cache } }), 'genuine');
});

test(
  'a cache of ours that was once open to others is not closed and used',
  needsRoot,
  (context) => {
    const users = createTwoUsers(context, genuine);
    const cache = users.make(join(users.us.home, '.cache'), { uid: users.us.uid, mode: 0o755 });
    plantEverywhere(users, cache);
    for (const path of globSync(`${cache}/**`)) own(path, { uid: users.us.uid, mode: 0o775 });
    own(cache, { uid: users.us.uid, mode: 0o755 });
    own(join(cache, 'clawdfather'), { uid: users.us.uid, mode: 0o755 });
    assert.equal(users.launch(users.us), 'genuine');
  },
);

/* Under both names that versions of the launcher have used, in the directory that Node would choose for us. */
function plantEverywhere(users: TwoUsers, cache: string): void {
  const { us, other } = users;
  const { path, bytes } = entryOfMain(users, other);
  const ofOther = basename(dirname(path));
  const ofUs = ofOther.replace(new RegExp(`${other.uid}$`), String(us.uid));
  assert.notEqual(ofUs, ofOther, 'Node names the directory after the user');
  for (const name of ['compiled', 'code']) {
    const directory = join(cache, 'clawdfather', name, ofUs);
    users.make(directory, { uid: other.uid, mode: 0o755 });
    for (const above of [dirname(directory), dirname(dirname(directory))]) {
      own(above, { uid: other.uid, gid: users.sharedGid, mode: 0o775 });
    }
    writeFileSync(join(directory, basename(path)), plantedEntry(users, bytes));
  }
}

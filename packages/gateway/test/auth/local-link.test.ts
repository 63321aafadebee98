/*
 * Links that another process of the owner leaves in the state directory.
 */
import assert from 'node:assert/strict';
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { leaveLocalLink } from '@clawdfather/gateway/local-link';
import { createSystemRandom } from '@clawdfather/kit';
import { createFakeClock } from '@clawdfather/testkit';
import { takeLocalLink } from '../../src/auth/local-link.ts';
import { hashSecret } from '../../src/auth/token-text.ts';
import { makeTemporary } from '../fixtures/temporary.ts';

async function openWorld() {
  const temporary = await makeTemporary();
  const clock = createFakeClock();
  const deps = { stateDir: temporary.path, clock, random: createSystemRandom() };
  const directory = join(temporary.path, 'login-links');
  return { ...temporary, clock, deps, directory };
}

test('a link that was left is taken once, of many who try', async () => {
  await using world = await openWorld();
  const secret = await leaveLocalLink(world.deps);
  assert.match(secret, /^[A-Za-z0-9_-]{43}$/);
  const taken = await Promise.all(
    Array.from({ length: 20 }, () => takeLocalLink(world.deps, hashSecret(secret))),
  );
  assert.equal(taken.filter(Boolean).length, 1);
  assert.deepEqual(await readdir(world.directory), []);
});

test('what lies there is for the owner alone, and does not hold the secret', async () => {
  await using world = await openWorld();
  const secret = await leaveLocalLink(world.deps);
  const [name = ''] = await readdir(world.directory);
  const text = await readFile(join(world.directory, name), 'utf8');
  assert.ok(!`${name} ${text}`.includes(secret));
  assert.equal((await stat(world.directory)).mode & 0o777, 0o700);
  assert.equal((await stat(join(world.directory, name))).mode & 0o777, 0o600);
});

test('after ten minutes it is worth nothing, and the next one tidies up', async () => {
  await using world = await openWorld();
  const late = await leaveLocalLink(world.deps);
  await leaveLocalLink(world.deps);
  await world.clock.advance(10 * 60_000);
  assert.equal(await takeLocalLink(world.deps, hashSecret(late)), false);
  const fresh = await leaveLocalLink(world.deps);
  assert.deepEqual(await readdir(world.directory), [hashSecret(fresh)]);
});

test('a link that a full disk has taken the name of and not the content goes with the next one', async () => {
  await using world = await openWorld();
  await mkdir(world.directory, { mode: 0o700 });
  await writeFile(join(world.directory, 'a'.repeat(64)), '', { mode: 0o600 });
  const now = new Date(world.clock.wallMs());
  await utimes(join(world.directory, 'a'.repeat(64)), now, now);
  const first = await leaveLocalLink(world.deps);
  assert.equal((await readdir(world.directory)).length, 2, 'it may be being written');
  await world.clock.advance(10 * 60_000);
  const second = await leaveLocalLink(world.deps);
  assert.deepEqual(await readdir(world.directory), [hashSecret(second)], first);
});

test('a symbolic link, a file open to others and one of another kind are no login links', async () => {
  await using world = await openWorld();
  await mkdir(world.directory);
  const place = (secret: string): string => join(world.directory, hashSecret(secret));
  const end = String(world.clock.wallMs() + 60_000);
  await writeFile(join(world.path, 'elsewhere'), end, { mode: 0o600 });
  await symlink(join(world.path, 'elsewhere'), place('symlink'));
  await writeFile(place('open'), end);
  await chmod(place('open'), 0o644);
  await writeFile(place('words'), 'for ever', { mode: 0o600 });
  await writeFile(place('long'), end.padStart(100, '0'), { mode: 0o600 });
  await mkdir(place('directory'));
  for (const secret of ['symlink', 'open', 'words', 'long', 'directory', 'missing']) {
    assert.equal(await takeLocalLink(world.deps, hashSecret(secret)), false, secret);
  }
});

test('without a state directory there is nobody to leave a link for', async () => {
  await using world = await openWorld();
  const stateDir = join(world.path, 'missing');
  await assert.rejects(leaveLocalLink({ ...world.deps, stateDir }), { code: 'ENOENT' });
  assert.equal(await takeLocalLink({ ...world.deps, stateDir }, hashSecret('x')), false);
});

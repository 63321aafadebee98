/*
 * Commands are matched by a hash that nobody can guess without the key of this installation.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSystemRandom } from '@clawdfather/kit';
import { openCommandHash } from '../../src/observe/command-hash.ts';

const random = createSystemRandom();

async function stateDir(context: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'clf-hash-'));
  context.after(() => rm(directory, { recursive: true }));
  return directory;
}

test('the same command has the same hash after a restart, and another one elsewhere', async (context) => {
  const [here, there] = [await stateDir(context), await stateDir(context)];
  const first = (await openCommandHash(here, random))('ls -la');
  assert.match(first, /^[0-9a-f]{64}$/);
  assert.equal((await openCommandHash(here, random))('ls -la'), first);
  assert.notEqual((await openCommandHash(here, random))('ls -l'), first);
  assert.notEqual((await openCommandHash(there, random))('ls -la'), first);
  assert.notEqual(first, createHash('sha256').update('ls -la').digest('hex'));
});

test('the key is private, and of several who start at once all use one', async (context) => {
  const directory = await stateDir(context);
  const hashes = await Promise.all(
    Array.from({ length: 8 }, async () => (await openCommandHash(directory, random))('x')),
  );
  assert.equal(new Set(hashes).size, 1);
  assert.deepEqual(await readdir(directory), ['log-key']);
  assert.equal((await stat(join(directory, 'log-key'))).mode & 0o777, 0o600);
});

test('a key that others could have read, chosen or cut is refused', async (context) => {
  const refused = { code: 'log-key-unusable' };
  const open = await stateDir(context);
  await openCommandHash(open, random);
  await chmod(join(open, 'log-key'), 0o644);
  await assert.rejects(openCommandHash(open, random), refused);

  const linked = await stateDir(context);
  await writeFile(join(linked, 'elsewhere'), Buffer.alloc(32), { mode: 0o600 });
  await symlink('elsewhere', join(linked, 'log-key'));
  await assert.rejects(openCommandHash(linked, random), refused);

  const short = await stateDir(context);
  await writeFile(join(short, 'log-key'), '', { mode: 0o600 });
  await assert.rejects(openCommandHash(short, random), refused);
});

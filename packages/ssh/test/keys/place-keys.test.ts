/*
 * Master keys that are put back: whole, private, and never over another key.
 */
import assert from 'node:assert/strict';
import { chmod, cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createSystemRandom } from '@clawdfather/kit';
import {
  openMasterKeys,
  placeMasterKeys,
  planMasterKeys,
  readMasterKeyIds,
  rotateMasterKey,
} from '@clawdfather/ssh';

const random = createSystemRandom();

async function twoDirectories(context: TestContext) {
  const parent = await mkdtemp(join(tmpdir(), 'clf-place-'));
  context.after(() => rm(parent, { recursive: true }));
  return { from: join(parent, 'kept.keys'), to: join(parent, 'state', 'master-keys') };
}

test('keys are put where there are none, and beside those that are the same', async (context) => {
  const move = await twoDirectories(context);
  assert.deepEqual(await readMasterKeyIds(move.to), []);
  await openMasterKeys(move.from, random);
  assert.deepEqual(await planMasterKeys(move), ['1.key']);
  assert.deepEqual(await placeMasterKeys(move, random), ['1.key']);
  assert.equal((await stat(move.to)).mode & 0o777, 0o700);
  assert.equal((await stat(join(move.to, '1.key'))).mode & 0o777, 0o600);
  await rotateMasterKey(move.from, random);
  assert.deepEqual(await placeMasterKeys(move, random), ['2.key']);
  assert.deepEqual(await placeMasterKeys(move, random), []);
  assert.deepEqual(await readMasterKeyIds(move.to), await readMasterKeyIds(move.from));
  assert.deepEqual(await readdir(move.to), ['1.key', '2.key']);
});

test('a key is never put in the place of another, and then none is placed', async (context) => {
  const move = await twoDirectories(context);
  await openMasterKeys(move.from, random);
  await rotateMasterKey(move.from, random);
  const [present] = await openMasterKeys(move.to, random);
  const differs = { code: 'master-key-differs', detail: { ...move, name: '1.key' } };
  await assert.rejects(planMasterKeys(move), differs);
  await assert.rejects(placeMasterKeys(move, random), differs);
  assert.deepEqual(await openMasterKeys(move.to, random), [present]);
});

test('keys that others could have read are not put in place', async (context) => {
  const move = await twoDirectories(context);
  await openMasterKeys(move.to, random);
  await cp(move.to, move.from, { recursive: true });
  await chmod(join(move.from, '1.key'), 0o644);
  await assert.rejects(planMasterKeys(move), { code: 'master-key-unsafe' });
});

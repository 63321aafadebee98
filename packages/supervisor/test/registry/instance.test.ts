/*
 * O6: who a state directory is, and that a copy of it is somebody else.
 */
import assert from 'node:assert/strict';
import { cp, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSeededRandom } from '@clawdfather/testkit';
import { createId, openInstance } from '../../src/registry/instance.ts';
import { openStateDir } from '../../src/registry/state-dir.ts';
import { startChild } from '../child-process.ts';
import { bootA, bootB, newRunOf } from '../records.ts';
import { openHere } from '../fixtures/registry/open-registry.ts';
import { startRun, tempDir } from './registry-rig.ts';

const random = createSeededRandom(11);

async function identify(path: string, bootId = bootA) {
  const stateDir = await openStateDir(path);
  return openInstance({ stateDir, bootId, createId: () => createId(random) });
}

test('an id is made once and stays', async (t) => {
  const path = join(await tempDir(t), 'state');
  const first = await identify(path);
  assert.match(first.instanceId, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
  assert.deepEqual(await identify(path), first);
  assert.equal(first.isNewCopy, false);
});

test('a directory that was moved is still itself', async (t) => {
  const dir = await tempDir(t);
  const first = await identify(join(dir, 'state'));
  await rename(join(dir, 'state'), join(dir, 'moved'));
  assert.deepEqual(await identify(join(dir, 'moved')), first);
});

test('O6: a copy gets an id of its own, once', async (t) => {
  const dir = await tempDir(t);
  const original = await identify(join(dir, 'state'));
  await cp(join(dir, 'state'), join(dir, 'copy'), { recursive: true });
  const copy = await identify(join(dir, 'copy'));
  assert.equal(copy.isNewCopy, true);
  assert.notEqual(copy.instanceId, original.instanceId);
  assert.deepEqual(await identify(join(dir, 'copy')), { ...copy, isNewCopy: false });
  assert.deepEqual(await identify(join(dir, 'state')), original);
});

test('a disk that got another number at boot holds the same directory', async (t) => {
  const path = join(await tempDir(t), 'state');
  const first = await identify(path);
  const file = join(path, 'instance.json');
  const written = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  await writeFile(file, JSON.stringify({ ...written, dev: 1 }));
  assert.equal((await identify(path, bootB)).instanceId, first.instanceId);
  await writeFile(file, JSON.stringify({ ...written, dev: 1 }));
  assert.equal((await identify(path, bootA)).isNewCopy, true, 'within one boot it is another disk');
});

test('a file that is not ours is reported, not overwritten', async (t) => {
  const path = join(await tempDir(t), 'state');
  await identify(path);
  for (const text of ['', '{', '[]', '{"instanceId":"../x","dev":1,"ino":2,"bootId":""}']) {
    await writeFile(join(path, 'instance.json'), text);
    await assert.rejects(identify(path), { code: 'instance-invalid' });
    assert.equal(await readFile(join(path, 'instance.json'), 'utf8'), text);
  }
});

test('O6: live runs in a copy are foreign: seen, and never taken', async (t) => {
  const dir = await tempDir(t);
  const original = await openHere(join(dir, 'state'));
  const runId = await startRun(original.registry, original.owner, newRunOf('r1'));
  await original.registry.close();
  await cp(join(dir, 'state'), join(dir, 'copy'), { recursive: true });

  const { registry, owner } = await openHere(join(dir, 'copy'));
  t.after(() => registry.close());
  assert.equal(registry.isNewCopy, true);
  assert.equal(registry.get(runId)?.ownerInstanceId, original.registry.instanceId);
  const outcomes = await registry.takeRuns(owner, [runId], [original.owner.generation]);
  assert.deepEqual(outcomes, [{ outcome: 'foreign', runId }]);
  assert.equal(registry.get(runId)?.epoch, 1);
});

test('two processes that open a fresh copy at once agree on its new id', async (t) => {
  const dir = await tempDir(t);
  const { registry } = await openHere(join(dir, 'state'));
  await registry.close();
  await cp(join(dir, 'state'), join(dir, 'copy'), { recursive: true });
  const program = new URL('../fixtures/registry/print-instance.ts', import.meta.url);
  const children = [0, 1, 2].map(() => startChild(t, program, [join(dir, 'copy')]));
  const ids = await Promise.all(children.map((child) => child.line()));
  assert.equal(new Set(ids).size, 1);
  assert.notEqual(ids[0], registry.instanceId);
});

/*
 * A tick is held, so that V8 does not forget what ticks look like.
 */
import assert from 'node:assert/strict';
import { executionAsyncResource } from 'node:async_hooks';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { keepTicksFast } from '../src/keep-ticks-fast.ts';

const nextTick = (): Promise<object> =>
  new Promise((resolve) => {
    process.nextTick(() => resolve(executionAsyncResource()));
  });

test('what is held is the object of a tick', async () => {
  using held = keepTicksFast();
  assert.equal(held.tick, undefined);
  const other = await nextTick();
  assert.ok(held.tick !== undefined && held.tick !== other);
  assert.deepEqual(Reflect.ownKeys(held.tick), Reflect.ownKeys(other));
});

test('nothing is held after it was given back, however early', async () => {
  const held = keepTicksFast();
  held[Symbol.dispose]();
  await nextTick();
  assert.equal(held.tick, undefined);
});

/*
 * V8 itself says whether a shape is still the one that was learnt: it is the same before and after a collection. Without a held
 * tick there is nothing to compare with, which is the point.
 */
const program = `
  import { executionAsyncResource } from 'node:async_hooks';
  import { keepTicksFast } from ${JSON.stringify(new URL('../src/keep-ticks-fast.ts', import.meta.url).href)};
  const held = keepTicksFast();
  const pause = () => new Promise((resolve) => setImmediate(resolve));
  await pause();
  gc();
  await pause();
  await new Promise((resolve) => process.nextTick(() => {
    console.log(%HaveSameMap(held.tick, executionAsyncResource()));
    resolve();
  }));
`;

test('after a full collection ticks have the shape that they had before', () => {
  const flags = ['--expose-gc', '--allow-natives-syntax', '--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
  assert.equal(stdout.trim(), 'true', stderr);
});

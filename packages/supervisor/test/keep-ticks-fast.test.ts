/*
 * A tick is held, so that V8 does not forget what ticks look like.
 */
import assert from 'node:assert/strict';
import { executionAsyncResource } from 'node:async_hooks';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
    process.stdout.write(String(%HaveSameMap(held.tick, executionAsyncResource())));
    resolve();
  }));
`;

test('after a full collection ticks have the shape that they had before', () => {
  const flags = ['--expose-gc', '--allow-natives-syntax', '--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
  assert.equal(stdout, 'true', stderr);
});

/* Every tick of a supervisor's life is watched weakly; a full collection leaves those that somebody holds. */
const ofSupervisor = `
  import { createHook } from 'node:async_hooks';
  import { createSupervisor } from '@clawdfather/supervisor';
  const ticks = [];
  const init = (id, type, trigger, tick) => type === 'TickObject' && ticks.push(new WeakRef(tick));
  const watch = createHook({ init }).enable();
  const pause = () => new Promise((resolve) => setImmediate(resolve));
  const held = async () => {
    for (let time = 0; time < 3; time += 1) {
      await pause();
      gc();
    }
    return ticks.filter((tick) => tick.deref() !== undefined).length;
  };
  const supervisor = await createSupervisor({ stateDir: process.argv[1] });
  watch.disable();
  const open = await held();
  await supervisor.close();
  process.stdout.write(JSON.stringify([open, await held()]));
`;

test('a supervisor holds one tick from its opening to its close', () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'clf-ticks-'));
  try {
    const flags = ['--conditions=@clawdfather/source', '--expose-gc', '--input-type=module'];
    const args = [...flags, '--eval', ofSupervisor, stateDir];
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    });
    assert.equal(stdout, '[1,0]', stderr);
  } finally {
    rmSync(stateDir, { recursive: true });
  }
});

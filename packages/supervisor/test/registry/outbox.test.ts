/*
 * I1: input is committed at its offset before it is sent, and dropped once the
 * shim has it; a sender that dies in between sends the same bytes at the same place.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outboxBytesMax } from '../../src/limits.ts';
import { newRunOf } from '../records.ts';
import { finishRun, openRig, startRun } from './registry-rig.ts';

test('I1: offsets run on without holes, also when the outbox has been emptied', async (t) => {
  const { registry, openOwner, openAnother } = await openRig(t);
  const runId = await startRun(registry, await openOwner(), newRunOf('r1'));
  const key = { runId, epoch: 1 };
  const send = (text: string) => registry.write((to) => to.appendInput(key, Buffer.from(text)));
  assert.deepEqual(await Promise.all([send('hello '), send('world')]), [0, 6]);

  await registry.write((to) => to.trimInput(key, 8));
  assert.deepEqual(
    registry.outbox(runId).map(({ offset, bytes }) => [offset, Buffer.from(bytes).toString()]),
    [[6, 'world']],
    'an entry that the shim has half of stays whole',
  );
  await registry.write((to) => to.trimInput(key, 11));
  assert.deepEqual(registry.outbox(runId), []);
  assert.equal(await send('!'), 11);
  const another = await openAnother();
  assert.equal(another.inputOffset(runId), 12);
  assert.equal(another.outbox(runId).length, 1);
});

test('a run that does not take its input stops the sender, not the memory', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const runId = await startRun(registry, await openOwner(), newRunOf('r1'));
  const key = { runId, epoch: 1 };
  await registry.write((to) => to.appendInput(key, Buffer.alloc(outboxBytesMax)));
  await assert.rejects(
    registry.write((to) => to.appendInput(key, Buffer.from('x'))),
    { code: 'outbox-full' },
  );
  await registry.write((to) => to.trimInput(key, outboxBytesMax));
  assert.equal(await registry.write((to) => to.appendInput(key, Buffer.from('x'))), outboxBytesMax);
});

test('an exited run takes no input and keeps none', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const runId = await startRun(registry, await openOwner(), newRunOf('r1'));
  const key = { runId, epoch: 1 };
  await registry.write((to) => to.appendInput(key, Buffer.from('secret')));
  await finishRun(registry, runId);
  assert.deepEqual(registry.outbox(runId), []);
  await assert.rejects(
    registry.write((to) => to.appendInput(key, Buffer.from('x'))),
    { code: 'not-running' },
  );
});

test('I1: input said again at its offset is taken once, and what would leave a hole is refused', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const runId = await startRun(registry, await openOwner(), newRunOf('r1'));
  const key = { runId, epoch: 1 };
  const send = (text: string, at: number) =>
    registry.write((to) => to.appendInput(key, Buffer.from(text), at));
  await send('hello', 0);
  await send('hello', 0);
  await send('lo world', 3);
  const kept = registry.outbox(runId).map(({ bytes }) => Buffer.from(bytes).toString());
  assert.deepEqual(kept, ['hello', ' world']);
  await assert.rejects(send('!', 12), { code: 'input-gap', detail: { runId, expected: 11 } });
  await finishRun(registry, runId);
  await send('world', 6);
  await assert.rejects(send('!', 11), { code: 'not-running' });
});

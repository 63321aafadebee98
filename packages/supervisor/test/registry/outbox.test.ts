/*
 * I1: input is committed at its offset before it is sent, and dropped once the
 * shim has it; a sender that dies in between sends the same bytes at the same place.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inputPieceBytes, outboxBytesMax } from '../../src/limits.ts';
import type { Registry } from '../../src/registry/registry.ts';
import { newRunOf } from '../records.ts';
import { finishRun, openRig, startRun } from './registry-rig.ts';

function waitingOf(registry: Registry, runId: string): readonly (readonly [number, string])[] {
  const pieces: [number, string][] = [];
  for (let from = 0; ; ) {
    const piece = registry.nextInput(runId, from);
    if (piece === undefined) return pieces;
    pieces.push([piece.offset, Buffer.from(piece.bytes).toString()]);
    from = piece.offset + piece.bytes.length;
  }
}

test('I1: what waits is read in pieces, however long its entries are', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const runId = await startRun(registry, await openOwner(), newRunOf('r1'));
  const key = { runId, epoch: 1 };
  const long = 'x'.repeat(inputPieceBytes + 10);
  for (const text of ['ab', long, 'c']) {
    await registry.write((to) => to.appendInput(key, Buffer.from(text)));
  }
  const pieces = waitingOf(registry, runId);
  assert.deepEqual(
    pieces.map(([offset, text]) => [offset, text.length]),
    [
      [0, 2],
      [2, inputPieceBytes],
      [2 + inputPieceBytes, 10],
      [12 + inputPieceBytes, 1],
    ],
  );
  assert.equal(pieces.map(([, text]) => text).join(''), `ab${long}c`);
  assert.deepEqual(
    [0, 2, 2 + inputPieceBytes].map((from) => registry.nextInput(runId, from)?.isLast),
    [true, false, true],
  );
});

test('I1: offsets run on without holes, also when the outbox has been emptied', async (t) => {
  const { registry, openOwner, openAnother } = await openRig(t);
  const runId = await startRun(registry, await openOwner(), newRunOf('r1'));
  const key = { runId, epoch: 1 };
  const send = (text: string) => registry.write((to) => to.appendInput(key, Buffer.from(text)));
  assert.deepEqual(await Promise.all([send('hello '), send('world')]), [0, 6]);

  await registry.write((to) => to.trimInput(key, 8));
  assert.deepEqual(
    waitingOf(registry, runId),
    [[6, 'world']],
    'an entry that the shim has half of stays whole',
  );
  await registry.write((to) => to.trimInput(key, 11));
  assert.deepEqual(waitingOf(registry, runId), []);
  assert.equal(await send('!'), 11);
  const another = await openAnother();
  assert.equal(another.inputOffset(runId), 12);
  assert.deepEqual(waitingOf(another, runId), [[11, '!']]);
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
  assert.deepEqual(waitingOf(registry, runId), []);
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
  const kept = waitingOf(registry, runId).map(([, text]) => text);
  assert.deepEqual(kept, ['hello', ' world']);
  await assert.rejects(send('!', 12), { code: 'input-gap', detail: { runId, expected: 11 } });
  await finishRun(registry, runId);
  await send('world', 6);
  await assert.rejects(send('!', 11), { code: 'not-running' });
});

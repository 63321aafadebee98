/*
 * Something long that is read piece by piece: each piece once, and again when it failed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPieces } from '../../src/data/use-pieces.ts';

function openRig() {
  const asked: number[] = [];
  const gateway = { isAway: false };
  const pieces = createPieces(async (offset) => {
    asked.push(offset);
    if (gateway.isAway) throw new Error('lost');
    return { text: `from ${offset}`, next_offset: offset === 20 ? null : offset + 10 };
  }, new AbortController().signal);
  const texts = (): readonly string[] => pieces.pieces.value.map(({ text }) => text);
  return { asked, gateway, pieces, texts };
}

test('a piece that is asked for twice is read and shown once; behind the last one there is none', async () => {
  const { asked, pieces, texts } = openRig();
  await Promise.all([pieces.more(), pieces.more()]);
  assert.deepEqual(texts(), ['from 0']);
  for (let count = 0; count < 4; count += 1) await pieces.more();
  assert.deepEqual(texts(), ['from 0', 'from 10', 'from 20']);
  assert.deepEqual(asked, [0, 10, 20]);
});

test('a piece that failed is told of until it is here, and is the next one', async () => {
  const { gateway, pieces, texts } = openRig();
  await pieces.more();
  gateway.isAway = true;
  await pieces.more();
  assert.equal(pieces.problem.value?.text, 'Lost.');
  gateway.isAway = false;
  await pieces.more();
  assert.equal(pieces.problem.value, undefined);
  assert.deepEqual(texts(), ['from 0', 'from 10']);
});

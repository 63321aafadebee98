/*
 * Lists that are shown as one: what cannot be read stays as it was known, and nothing at all is no answer.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadParts } from '../../src/data/load-parts.ts';

const lost = (): Promise<number> => Promise.reject(new Error('lost'));

test('a part that fails is as it was known, or missing; the others are new', async () => {
  const loads = { one: async () => 1, two: lost, three: lost };
  assert.deepEqual(await loadParts(loads, () => ({ one: 7, two: 8 })), { one: 1, two: 8 });
  assert.deepEqual(await loadParts(loads, () => undefined), { one: 1 });
});

test('when every part fails, the whole does', async () => {
  await assert.rejects(
    loadParts({ one: lost, two: lost }, () => ({ one: 7 })),
    /lost/,
  );
});

/*
 * The mistakes of `npm run test:mutants` still fit the code; whether tests catch them is what that command is for.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStale } from '../mutants/is-stale.ts';
import { mutants } from '../mutants/mutants.ts';

test('each mistake can be made in the code as it is', () => {
  assert.deepEqual(
    mutants.filter(isStale).map(({ name }) => name),
    [],
  );
  const [first] = mutants;
  assert.ok(first && isStale({ ...first, from: 'no such line' }));
});

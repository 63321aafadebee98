/*
 * A value from outside that no branch knows is named in the error.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNever } from '@clawdfather/kit';

test('an unexpected value is named', () => {
  const value = { kind: 'new' } as unknown as never;
  assert.throws(() => assertNever(value), /"kind":"new"/);
});

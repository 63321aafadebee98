/*
 * When an open stream is not trusted.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWorthRenewing } from '../../src/state/renewal.ts';

test('a stream is replaced after a rest, after silence, and when it is not live; and not for a glance away', () => {
  const glance = { hiddenMs: 3_000, silentMs: 3_000, isLive: true };
  assert.equal(isWorthRenewing(glance), false);
  assert.equal(isWorthRenewing({ ...glance, hiddenMs: 11_000 }), true);
  assert.equal(isWorthRenewing({ ...glance, silentMs: 41_000 }), true);
  assert.equal(isWorthRenewing({ ...glance, isLive: false }), true);
});

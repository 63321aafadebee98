/*
 * How a message stands that was written here, in words: what is said is what is so.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outboxWords } from '../../src/thread/composer/outbox-words.ts';

const deferred = { code: 'queue_full', message: '20 of 20 turns wait for claude already' };

test('a message that found no room says so, and may be taken back if it never left', () => {
  const { text, mayWithdraw, isBad } = outboxWords({ kind: 'written', deferred });
  assert.match(text, /^20 of 20 turns wait for claude already\. It is kept on this device/);
  assert.deepEqual([mayWithdraw, isBad], [true, false]);
  assert.deepEqual(
    outboxWords({ kind: 'sent', deferred }),
    outboxWords({ kind: 'written', deferred }),
  );
  assert.equal(outboxWords({ kind: 'unknown', deferred }).mayWithdraw, false);
  assert.equal(outboxWords({ kind: 'sent', isDoubted: true, deferred }).mayWithdraw, false);
});

test('only of a message without an answer it is said that there is none', () => {
  const lost = /has not answered/;
  assert.match(outboxWords({ kind: 'unknown' }).text, lost);
  assert.doesNotMatch(outboxWords({ kind: 'unknown', deferred }).text, lost);
  assert.doesNotMatch(outboxWords({ kind: 'written', deferred }).text, lost);
});

/*
 * What came of comparing a conversation with the journals of its agents, in words.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Verification, verifyLines } from '../../src/thread/threads/verify-words.ts';

const same = {
  run_id: 'r',
  outcome: 'same',
  reason: null,
  compared: 12,
  difference: null,
} as const;
const found: Verification = {
  thread_id: 't',
  through: 30,
  newest_seq: 30,
  is_complete: true,
  events: 30,
  checksum: 'a'.repeat(64),
  missing: [],
  runs: [same],
  same: 1,
  differs: 0,
  not_comparable: 0,
};
const textsOf = (more: Partial<Verification>) =>
  verifyLines({ ...found, ...more }).map(({ text, mood }) => `${mood}: ${text}`);

test('what is the same, what cannot be compared and what differs are three things', () => {
  const changed = { kind: 'text', what: 'changed', seq: 7, last_seq: 9 } as const;
  const difference = { ...changed, stored_sha256: null, journal_sha256: null };
  const runs = [
    same,
    { ...same, outcome: 'not_comparable', reason: 'collected' },
    { ...same, outcome: 'differs', difference },
  ] as const;
  assert.deepEqual(textsOf({ runs: [...runs] }), [
    'good: As its agent said it: 12 texts and updates are the same.',
    'plain: An agent’s run cannot be compared: its journal was removed.',
    'bad: It differs at events 7–9: this is not what the journal has (text).',
    'plain: 30 events were looked at.',
  ]);
});

test('what is missing, and what was not looked at, is named; without a run there is nothing to compare', () => {
  assert.deepEqual(
    textsOf({ runs: [], missing: [{ from: 4, to: 4 }], is_complete: false, newest_seq: 90 }),
    [
      'plain: No agent has run in it yet.',
      'bad: The gateway does not have event 4.',
      'plain: It was too long: only events up to 30 of 90 were looked at.',
      'plain: 30 events were looked at.',
    ],
  );
});

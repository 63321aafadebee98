/*
 * What is counted as written and nowhere else, and how it is told.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lossWords, unsentOf } from '../../src/storage/unsent.ts';

const message = { kind: 'message', text: 'x' } as const;
const draft = (key: string, text = 'x') => ({ key, text });

test('messages count until the gateway has them; the rows around them do not', () => {
  const rows = [
    { item: { kind: 'thread' }, state: { kind: 'written' } },
    { item: message, state: { kind: 'written' } },
    { item: message, state: { kind: 'unknown' } },
    { item: message, state: { kind: 'refused', code: 'x', message: 'x' } },
    { item: message, state: { kind: 'expired' } },
    { item: message, state: { kind: 'accepted', id: 't' } },
    { item: message, state: { kind: 'taken', id: 't' } },
    { item: { kind: 'cancel', turnId: 't' }, state: { kind: 'written' } },
  ] as const;
  assert.deepEqual(unsentOf(rows, []), { messages: 4, drafts: 0 });
});

test('the words and the files of one message are one draft; what was picked, and blanks, are none', () => {
  const drafts = [
    draft('thread-1'),
    draft('files-thread-1', '[{}]'),
    draft('files-thread-2', '[{}]'),
    draft('new-'),
    draft('files-new', '[{}]'),
    draft('new-chosen--echo', '{"mode":"code"}'),
    draft('new-place', '{"agent":"echo"}'),
    draft('thread-3', ' \n'),
  ];
  assert.deepEqual(unsentOf([], drafts), { messages: 0, drafts: 3 });
});

test('it is told in words, and nothing is nothing', () => {
  assert.equal(lossWords({ messages: 0, drafts: 0 }), undefined);
  assert.equal(
    lossWords({ messages: 1, drafts: 0 }),
    '1 message is not sent yet. It would be lost.',
  );
  assert.equal(
    lossWords({ messages: 2, drafts: 1 }),
    '2 messages are not sent yet, and 1 draft is only on this device. They would be lost.',
  );
});

/*
 * What `clf approvals` says of an ask that is over.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAskEnd, formatWaiting } from '../../src/threads/ask-text.ts';
import { createPaint } from '../../src/render/paint.ts';
import type { Ask } from '../../src/threads/thread-types.ts';

const answered: Ask = {
  id: '0123456789abcdef',
  thread_id: 'thread',
  turn_id: null,
  agent: 'fake',
  class: 'permission',
  state: 'answered',
  title: 'terraform apply',
  options: [],
  params: {},
  digest: '0'.repeat(64),
  asked_at: '2026-11-18T00:00:00.000Z',
  decided_by: 'cli:ann',
  decided_at: '2026-11-18T00:01:00.000Z',
};

test('it says whether it was allowed or denied, and by whom', () => {
  const of = (kind: Ask['answer_kind']) => formatAskEnd({ ...answered, answer_kind: kind });
  assert.equal(of('allow_once'), 'allowed by cli:ann');
  assert.equal(of('allow_always'), 'allowed always by cli:ann');
  assert.equal(of('reject_once'), 'denied by cli:ann');
  assert.equal(of('reject_always'), 'denied always by cli:ann');
  assert.equal(of('accept'), 'answered by cli:ann');
  assert.equal(of('decline'), 'declined by cli:ann');
  assert.equal(of('cancel'), 'dropped by cli:ann');
  // Of a gateway that does not tell, and of an option of a kind of its own.
  assert.equal(of(undefined), 'answered by cli:ann');
  assert.equal(of('other'), 'answered by cli:ann');
});

test('in the list of all its state is what was decided, with who decided below it', () => {
  const text = formatWaiting([], [{ ...answered, answer_kind: 'reject_once' }], {
    paint: createPaint(false),
    nowMs: Date.parse('2026-11-18T00:03:00.000Z'),
    isAll: true,
    ownAccounts: [],
  });
  assert.match(text, /^01234567\S* +3m ago +denied +agent fake/m);
  assert.match(text, /^ {2}denied by cli:ann 2m ago$/m);
});

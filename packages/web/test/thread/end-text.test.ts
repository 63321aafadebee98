/*
 * The ends of turns in words: what was lost, what was restarted and what failed are told apart.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endHint } from '../../src/thread/rows/end-hint.ts';
import { endText } from '../../src/thread/rows/end-text.ts';

const end = {
  turnId: 't',
  status: 'failed',
  cause: undefined,
  message: undefined,
  at: '2026-11-01T08:00:00.000Z',
  since: undefined,
  tokens: undefined,
  hasChanges: false,
  isUnstarted: false,
};

test('lost, restarted and failed have three texts, with three hints', () => {
  const codes = ['OPENCLAW_GATEWAY_LOST', 'ACP_BRIDGE_RESTART', 'error'];
  const texts = codes.map((code) => endText({ ...end, code }));
  assert.deepEqual(
    texts.map(({ mood, title }) => [mood, title]),
    [
      ['bad', 'Lost'],
      ['bad', 'Restarted'],
      ['bad', 'Failed'],
    ],
  );
  assert.equal(new Set(codes.map((code) => endHint({ ...end, code }).hint)).size, 3);
});

test('a cause is said in words, and a code that is not known here is said as it is', () => {
  assert.equal(
    endText({ ...end, code: 'error', cause: 'out-of-memory' }).title,
    'Failed (out of memory)',
  );
  assert.equal(endText({ ...end, code: 'NEW_CODE' }).title, 'Ended: NEW_CODE');
});

test('a limit that left no room says what to close, and the queue what to wait for', () => {
  const busy = { ...end, code: 'OPENCLAW_GATEWAY_BUSY' };
  assert.equal(endText(busy).title, 'Found no room');
  const sessions = endHint({ ...busy, cause: 'session_limit_reached' });
  assert.equal(sessions.held, 'sessions');
  assert.match(sessions.hint, /Close one/);
  assert.equal(endHint({ ...busy, cause: 'queue_timeout' }).held, 'turns');
});

test('what was not sent because of its mode says where to choose another', () => {
  const unsent = { ...end, code: 'error', cause: 'choice-not-set' };
  assert.equal(endText(unsent).title, 'Not sent');
  assert.match(endHint(unsent).hint, /Mode and model/);
});

test('what a person stopped is no failure', () => {
  assert.equal(endText({ ...end, status: 'cancelled', code: 'aborted' }).mood, 'plain');
});

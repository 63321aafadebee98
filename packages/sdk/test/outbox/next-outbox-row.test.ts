/*
 * Every state of a row with every event.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isUnsettled,
  nextOutboxRow,
  type OutboxEvent,
  type OutboxState,
} from '../../src/outbox/next-outbox-row.ts';

const states = {
  written: { kind: 'written' },
  sent: { kind: 'sent' },
  unknown: { kind: 'unknown' },
  accepted: { kind: 'accepted', id: 't1' },
  taken: { kind: 'taken', id: 't1' },
  refused: { kind: 'refused', code: 'not_found', message: 'gone' },
  expired: { kind: 'expired' },
} as const satisfies Record<OutboxState['kind'], OutboxState>;

type Kind = OutboxState['kind'];

test('what happens in every state', () => {
  const table: readonly (readonly [OutboxEvent, Partial<Record<Kind, Kind>>])[] = [
    [{ kind: 'send' }, { written: 'sent', unknown: 'sent' }],
    [{ kind: 'accepted', id: 't1' }, { sent: 'accepted' }],
    [states.refused, { sent: 'refused', written: 'refused' }],
    [{ kind: 'deferred', code: 'queue_full', message: 'no room' }, { sent: 'written' }],
    [{ kind: 'deferred', code: 'unavailable', message: 'stopping' }, { sent: 'unknown' }],
    [{ kind: 'unanswered' }, { sent: 'unknown' }],
    [{ kind: 'taken' }, { accepted: 'taken' }],
    [{ kind: 'aged' }, { written: 'expired' }],
    [{ kind: 'again' }, { expired: 'written', refused: 'written' }],
  ];
  for (const [event, changes] of table) {
    for (const state of Object.values(states)) {
      const next = nextOutboxRow(state, event);
      assert.equal(next.kind, changes[state.kind] ?? state.kind, `${state.kind}, ${event.kind}`);
      if (changes[state.kind] === undefined) assert.equal(next, state);
    }
  }
});

test('what finds no room is on this device only, with the reason, unless an attempt before may have arrived', () => {
  const full = { code: 'queue_full', message: '20 of 20 turns wait' };
  const sendAndDefer = (state: OutboxState): OutboxState =>
    nextOutboxRow(nextOutboxRow(state, { kind: 'send' }), { kind: 'deferred', ...full });
  const once = sendAndDefer(states.written);
  assert.deepEqual(once, { kind: 'written', deferred: full });
  assert.deepEqual(sendAndDefer(once), { kind: 'written', deferred: full });
  assert.deepEqual(sendAndDefer(states.unknown), { kind: 'unknown', deferred: full });
  // Until the next answer it is said why the one before was no.
  assert.deepEqual(nextOutboxRow(once, { kind: 'send' }), { kind: 'sent', deferred: full });
});

test('what may have arrived is never called expired, refused by us, or done', () => {
  for (const kind of ['sent', 'unknown'] as const) {
    assert.equal(nextOutboxRow(states[kind], { kind: 'aged' }), states[kind]);
    assert.ok(isUnsettled(states[kind]));
  }
});

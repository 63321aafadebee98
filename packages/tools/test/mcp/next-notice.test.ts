/*
 * The transition of a notice: what is told is told once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ExitNotice,
  nextNotice,
  type NoticeEvent,
  type NoticeState,
} from '../../src/mcp/next-notice.ts';

const notice: ExitNotice = { event: 'exit', runId: 'run-1', reason: 'exit', code: 0 };
const following: NoticeState = { kind: 'following' };
const ended: NoticeState = { kind: 'ended', notice, isPushed: false };
const pushed: NoticeState = { kind: 'ended', notice, isPushed: true };
const carried: NoticeState = { kind: 'carried', notice, isPushed: true, callId: 7 };
const told: NoticeState = { kind: 'told' };

const events: readonly NoticeEvent[] = [
  { type: 'ended', notice },
  { type: 'pushed' },
  { type: 'subscribed' },
  { type: 'carried', callId: 7 },
  { type: 'call-lost', callId: 7 },
  { type: 'told' },
];

test('each event leads where the table says', () => {
  const table: readonly (readonly [NoticeState, readonly NoticeState[]])[] = [
    [following, [ended, following, following, following, following, told]],
    [ended, [ended, pushed, ended, { ...carried, isPushed: false }, ended, told]],
    [pushed, [pushed, pushed, ended, carried, pushed, told]],
    [carried, [carried, carried, { ...carried, isPushed: false }, carried, pushed, told]],
    [told, events.map(() => told)],
  ];
  for (const [state, expected] of table) {
    const reached = events.map((event) => nextNotice(state, event));
    assert.deepEqual(reached, expected, state.kind);
  }
});

test('a call that did not carry it is no reason to say it again', () => {
  assert.deepEqual(nextNotice(carried, { type: 'call-lost', callId: 8 }), carried);
  assert.deepEqual(nextNotice(carried, { type: 'call-lost', callId: '7' }), carried);
});

/*
 * Every kind of event as an update, for clients of today and of before.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EventRow, eventTypes } from '@clawdfather/agents';
import { updateSchema } from '@clawdfather/protocol/acp';
import { showUpdate } from '../../src/acp/show-update.ts';

const status = (event: string, more: object = {}): EventRow => ({
  seq: 7,
  turnId: 'turn',
  type: 'status',
  payload: { event, ...more },
  atMs: 0,
});

const shown = (row: EventRow, isOlder: boolean) => {
  const update = updateSchema.parse(showUpdate('thread', row, { isOlder }));
  return [update.type, update.event];
};

test('the life of a turn has the words that each client knows', () => {
  const busy = { result: { code: 'OPENCLAW_GATEWAY_BUSY', cause: 'queue_timeout' } };
  const lost = { result: { code: 'ACP_BRIDGE_RESTART', message: 'it died' } };
  const cases: readonly [EventRow, string, string][] = [
    [status('queued', { position: 2 }), 'queued', 'task.selected'],
    [status('started'), 'started', 'task.started'],
    [status('completed', { result: { code: 'success' } }), 'completed', 'task.completed'],
    [status('failed', { result: { code: 'error' } }), 'failed', 'task.failed'],
    [status('failed', busy), 'failed', 'task.rejected'],
    [status('cancelled', { result: { code: 'aborted' } }), 'cancelled', 'task.cancelled'],
    [status('interrupted', lost), 'failed', 'task.failed'],
  ];
  for (const [row, today, before] of cases) {
    assert.deepEqual(shown(row, false), ['status', today]);
    assert.deepEqual(shown(row, true), ['task', before]);
  }
  const row = status('interrupted', lost);
  assert.equal(showUpdate('thread', row, { isOlder: false }).result?.status, 'interrupted');
  assert.deepEqual(showUpdate('thread', row, { isOlder: true }).result, {
    output: null,
    code: 'ACP_BRIDGE_RESTART',
    error: 'it died',
    reason: null,
    status: 'failed',
  });
});

test('the place of a turn is the one that the queue gives, and never the one within its thread', () => {
  const row = status('queued', { position: 2 });
  assert.equal(showUpdate('thread', row, { isOlder: false }).queue, null);
  const reason = { code: 'thread-busy', message: 'it works', active: 1 } as const;
  const place = { position: 7, ahead: 6, reason };
  const { queue } = updateSchema.parse(showUpdate('thread', row, { isOlder: false, place }));
  assert.deepEqual(queue, { position: 7, ahead: 6, reason: 'thread-busy', message: 'it works' });
});

test('a host that does not answer is told while it is tried for', () => {
  const told = (progress: object) =>
    updateSchema.parse(showUpdate('thread', status('running', { progress }), { isOlder: false }))
      .progress;
  const message = 'far: The host did not answer in time; next try in 4 s';
  const reaching = { stage: 'reaching', message, cause: 'timeout', elapsedMs: 3, nextTryMs: 4 };
  assert.deepEqual(told(reaching), { stage: 'reaching', message });
  assert.equal(told({ stage: 'reached', elapsedMs: 3 })?.stage, 'starting');
  assert.equal(told({ stage: 'another' }), null);
});

test('what an agent asks is requested and resolved for older clients', () => {
  const approval = (state: string): EventRow => ({
    ...status(''),
    type: 'approval',
    payload: { state },
  });
  assert.deepEqual(shown(approval('open'), true), ['task', 'task.permission_requested']);
  assert.deepEqual(shown(approval('answered'), true), ['task', 'task.permission_resolved']);
  assert.deepEqual(shown(approval('withdrawn'), true), ['task', 'task.permission_resolved']);
  assert.deepEqual(shown(approval('open'), false), ['approval', 'running']);
});

test('every kind of event is an update, and only what an agent says to people is a delta', () => {
  for (const type of eventTypes) {
    for (const isOlder of [true, false]) {
      const row = { ...status('anything'), type, payload: { role: 'thought', text: 'x' } };
      const update = updateSchema.parse(showUpdate('thread', row, { isOlder }));
      assert.equal(update.delta, null);
      assert.equal(update.seq, 7);
    }
  }
  const said = { ...status(''), type: 'delta' as const, payload: { role: 'agent', text: 'x' } };
  assert.equal(showUpdate('thread', said, { isOlder: false }).delta, 'x');
});

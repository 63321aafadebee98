/*
 * Every state of a turn with every event: what is allowed, and that an end is final.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextTurn, type TurnEvent, type TurnState, type TurnStep } from '@clawdfather/agents';

const lost = { loss: 'agent', cause: 'signal', message: 'killed', gaveUp: false } as const;

const events: readonly TurnEvent[] = [
  { type: 'admitted' },
  { type: 'cancel-asked', cause: 'asked' },
  { type: 'stopped', stopReason: 'end_turn' },
  { type: 'stopped', stopReason: 'max_tokens' },
  { type: 'stopped', stopReason: 'refusal' },
  { type: 'stopped', stopReason: 'cancelled' },
  { type: 'late' },
  { type: 'refused', message: 'no' },
  { type: 'not-startable', message: 'no such program' },
  { type: 'agent-lost', ...lost, wasAccepted: true },
  { type: 'agent-lost', ...lost, wasAccepted: false },
  { type: 'agent-lost', ...lost, loss: 'restart', wasAccepted: true },
  { type: 'agent-lost', ...lost, loss: 'host', wasAccepted: true },
  { type: 'agent-lost', ...lost, wasAccepted: true, gaveUp: true },
  { type: 'unreachable', cause: 'timeout', message: 'no answer', wasPrompted: false },
  { type: 'unreachable', cause: 'gateway-silent', message: 'gone', wasPrompted: true },
  { type: 'cancel-ignored' },
  { type: 'no-place', limit: 'session_limit_reached', message: '3 sessions are open' },
  { type: 'not-set', message: 'it does not plan' },
];

function wordOf(step: TurnStep): string {
  if (step.outcome === 'unchanged') return '-';
  return step.outcome === 'changed' ? step.status : `${step.status} ${step.result.code}`;
}

function row(state: TurnState): readonly string[] {
  return events.map((event) => wordOf(nextTurn(state, event)));
}

test('a turn that waits is admitted, cancelled, or cannot be started', () => {
  assert.deepEqual(row({ status: 'queued' }), [
    'running',
    'cancelled aborted',
    '-',
    '-',
    '-',
    '-',
    '-',
    'failed error',
    'failed error',
    '-',
    '-',
    '-',
    '-',
    '-',
    '-',
    '-',
    '-',
    'failed OPENCLAW_GATEWAY_BUSY',
    '-',
  ]);
});

test('a turn that runs ends by its answer, or with its agent', () => {
  assert.deepEqual(row({ status: 'running' }), [
    '-',
    'running',
    'completed success',
    'completed success',
    'failed error',
    'cancelled aborted',
    'failed OPENCLAW_RUN_DEADLINE_EXCEEDED',
    'failed error',
    'failed error',
    'interrupted error',
    'queued',
    'interrupted ACP_BRIDGE_RESTART',
    'interrupted OPENCLAW_GATEWAY_LOST',
    'failed error',
    'failed OPENCLAW_GATEWAY_LOST',
    'interrupted OPENCLAW_GATEWAY_LOST',
    'interrupted aborted',
    'failed OPENCLAW_GATEWAY_BUSY',
    'failed error',
  ]);
});

test('a turn that was cancelled is cancelled, however its agent takes it; an answer that was cut short is one', () => {
  assert.deepEqual(row({ status: 'running', cancelCause: 'asked' }), [
    '-',
    'running',
    'cancelled aborted',
    'completed success',
    'failed error',
    'cancelled aborted',
    'failed OPENCLAW_RUN_DEADLINE_EXCEEDED',
    'cancelled aborted',
    'cancelled aborted',
    'cancelled aborted',
    'cancelled aborted',
    'cancelled aborted',
    'cancelled aborted',
    'cancelled aborted',
    'cancelled aborted',
    'cancelled aborted',
    'interrupted aborted',
    'cancelled aborted',
    'cancelled aborted',
  ]);
});

test('a turn over its time fails with the code of that', () => {
  const late = 'failed OPENCLAW_RUN_DEADLINE_EXCEEDED';
  const told = row({ status: 'running', cancelCause: 'deadline' });
  assert.deepEqual(
    told.slice(5),
    told.slice(5).map(() => late),
  );
});

test('an end is final', () => {
  for (const status of ['completed', 'failed', 'cancelled', 'interrupted'] as const) {
    assert.deepEqual(
      row({ status }),
      events.map(() => '-'),
    );
  }
});

/*
 * Every state of a turn with every event: what is allowed, and that an end is final.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextTurn, type TurnEvent, type TurnState, type TurnStep } from '@clawdfather/agents';

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
  { type: 'agent-lost', cause: 'signal', message: 'killed', wasAccepted: true },
  { type: 'agent-lost', cause: 'signal', message: 'killed', wasAccepted: false },
  { type: 'cancel-ignored' },
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
    'interrupted ACP_BRIDGE_RESTART',
    'queued',
    'interrupted aborted',
  ]);
});

test('a turn that was cancelled is cancelled, however its agent takes it; what was finished is finished', () => {
  assert.deepEqual(row({ status: 'running', cancelCause: 'asked' }), [
    '-',
    'running',
    'completed success',
    'completed success',
    'failed error',
    'cancelled aborted',
    'failed OPENCLAW_RUN_DEADLINE_EXCEEDED',
    'cancelled aborted',
    'cancelled aborted',
    'cancelled aborted',
    'cancelled aborted',
    'interrupted aborted',
  ]);
});

test('a turn over its time fails with the code of that', () => {
  const late = 'failed OPENCLAW_RUN_DEADLINE_EXCEEDED';
  const told = row({ status: 'running', cancelCause: 'deadline' });
  assert.deepEqual(told.slice(5), [late, late, late, late, late, late, late]);
});

test('an end is final', () => {
  for (const status of ['completed', 'failed', 'cancelled', 'interrupted'] as const) {
    assert.deepEqual(
      row({ status }),
      events.map(() => '-'),
    );
  }
});

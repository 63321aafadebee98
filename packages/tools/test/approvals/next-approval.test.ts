/*
 * The lifecycle of an approval: every state with every event.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApprovalState, approvalStates } from '@clawdfather/protocol';
import { type ApprovalEvent, nextApproval } from '../../src/approvals/next-approval.ts';

const events: readonly ApprovalEvent[] = ['allow', 'deny', 'start', 'lapse', 'change'];

const arrows: Readonly<Record<string, ApprovalState>> = {
  'pending allow': 'allowed',
  'pending deny': 'denied',
  'pending lapse': 'expired',
  'allowed start': 'started',
  'allowed lapse': 'expired',
  'allowed change': 'changed',
};

for (const state of approvalStates) {
  for (const event of events) {
    const next = arrows[`${state} ${event}`] ?? state;
    test(`${state}, ${event}: ${next}`, () => assert.equal(nextApproval(state, event), next));
  }
}

test('A2, A6: no history has two ends, or a start after a change', () => {
  const seen = new Set<string>();
  const visit = (history: readonly ApprovalState[]): void => {
    const state = history.at(-1) ?? 'pending';
    seen.add(history.join(' '));
    for (const event of events) {
      const next = nextApproval(state, event);
      if (next !== state) visit([...history, next]);
    }
  };
  visit(['pending']);
  assert.deepEqual([...seen].toSorted(), [
    'pending',
    'pending allowed',
    'pending allowed changed',
    'pending allowed expired',
    'pending allowed started',
    'pending denied',
    'pending expired',
  ]);
});

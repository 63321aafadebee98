/*
 * The lifecycle of an approval: every state with every event.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApprovalState, approvalStates } from '@clawdfather/protocol';
import { type ApprovalEvent, nextApproval } from '../../src/approvals/next-approval.ts';

const events: readonly ApprovalEvent[] = ['allow', 'deny', 'start', 'lapse'];

const arrows: Readonly<Record<string, ApprovalState>> = {
  'pending allow': 'allowed',
  'pending deny': 'denied',
  'pending lapse': 'expired',
  'allowed start': 'started',
  'allowed lapse': 'expired',
};

for (const state of approvalStates) {
  for (const event of events) {
    const next = arrows[`${state} ${event}`] ?? state;
    test(`${state}, ${event}: ${next}`, () => assert.equal(nextApproval(state, event), next));
  }
}

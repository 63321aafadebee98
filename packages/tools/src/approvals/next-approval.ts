/*
 * The lifecycle of an approval. Drawn in docs/lifecycles.md.
 *
 * Only `pending` takes a decision (A1). Only `allowed` takes a start, and nothing leaves `started` (A2). `pending` lapses,
 * and so does an `allowed` that was not started, so that nothing begins hours after it was wanted (A3).
 */
import type { ApprovalState } from '@clawdfather/protocol';

export type ApprovalEvent = 'allow' | 'deny' | 'start' | 'lapse';

const arrows: Readonly<Record<ApprovalState, Partial<Record<ApprovalEvent, ApprovalState>>>> = {
  pending: { allow: 'allowed', deny: 'denied', lapse: 'expired' },
  allowed: { start: 'started', lapse: 'expired' },
  started: {},
  denied: {},
  expired: {},
};

/* The same state when the event means nothing in it. */
export function nextApproval(state: ApprovalState, event: ApprovalEvent): ApprovalState {
  return arrows[state][event] ?? state;
}

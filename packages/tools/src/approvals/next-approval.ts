/*
 * The lifecycle of an approval. Drawn in docs/lifecycles.md.
 *
 * Only `pending` takes a decision (A1). Only `allowed` takes a start, and nothing leaves `started` (A2). `pending` lapses,
 * and so does an `allowed` that was not started, so that nothing begins hours after it was wanted (A3). An `allowed` whose
 * directory or files are others at the start ends as `changed`: nothing starts, and a new request is made (A6).
 */
import type { ApprovalState } from '@clawdfather/protocol';

export type ApprovalEvent = 'allow' | 'deny' | 'start' | 'lapse' | 'change';

const arrows: Readonly<Record<ApprovalState, Partial<Record<ApprovalEvent, ApprovalState>>>> = {
  pending: { allow: 'allowed', deny: 'denied', lapse: 'expired' },
  allowed: { start: 'started', lapse: 'expired', change: 'changed' },
  started: {},
  denied: {},
  expired: {},
  changed: {},
};

/* The same state when the event means nothing in it. */
export function nextApproval(state: ApprovalState, event: ApprovalEvent): ApprovalState {
  return arrows[state][event] ?? state;
}

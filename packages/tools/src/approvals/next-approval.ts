/*
 * The lifecycle of an approval. Drawn in docs/lifecycles.md.
 *
 * A1 Decided once: only `pending` hears a decision.
 * A2 Single use: only `allowed` hears a start, and nothing leaves `started`.
 * A3 Silence is a denial: `pending` lapses, and so does an `allowed` that nobody has started, so that nothing begins hours
 *    after it was wanted.
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

/*
 * From a stored row to what callers see. Two rules are applied on every reading, so that no reader can forget them:
 *
 * - What has lapsed is expired (A3). Within one boot the monotonic clock counts (C1): a clock that is set forward expires
 *   nothing, one that is set back keeps nothing alive, a suspended machine waits. Of a boot that is over, `allowed` has
 *   lapsed (the registry may have lost the last moments before a power cut, so "not started" proves nothing);
 *   `pending` has when the wall clock says so, or says nothing sensible.
 * - A row whose action does not match its hash reads as denied.
 */
import { approvalDecisions } from '@clawdfather/protocol';
import type { ApprovalStore, StoredApproval } from '@clawdfather/supervisor';
import { hashAction } from './action-hash.ts';
import type { ApprovalRecord, ProposedAction } from './gatekeeper.ts';
import { nextApproval } from './next-approval.ts';

export interface Moment {
  readonly bootId: string;
  readonly bootMs: number;
  readonly wallMs: number;
}

export function momentOf(host: ApprovalStore['host'], clock: { wallMs(): number }): Moment {
  return { bootId: host.bootId, bootMs: host.bootMs(), wallMs: clock.wallMs() };
}

export function recordOf(stored: StoredApproval, now: Moment): ApprovalRecord {
  const action = parseAction(stored.action);
  const { runId, request, searchPath } = stored;
  const isIntact =
    action !== undefined &&
    hashAction({ action, runId, request, searchPath }) === stored.actionHash;
  const state = hasLapsed(stored, now) ? nextApproval(stored.state, 'lapse') : stored.state;
  return {
    approvalId: stored.approvalId,
    runId,
    state: isIntact ? state : 'denied',
    actionHash: stored.actionHash,
    action: action ?? noAction,
    request,
    requester: stored.requester,
    why: isIntact ? stored.why : 'the stored action does not match its hash',
    createdAtMs: stored.createdAtMs,
    expiresAtMs: stored.expiresAtMs,
    decision: approvalDecisions.find((one) => one === stored.decision),
    decidedBy: isIntact ? stored.decidedBy : 'clawdfather',
    decidedAtMs: stored.decidedAtMs,
    reason: isIntact ? stored.decisionReason : 'it was changed after it was asked for',
  };
}

export function hasLapsed(stored: StoredApproval, now: Moment): boolean {
  if (stored.bootId === now.bootId) return now.bootMs >= stored.lapsesBootMs;
  if (stored.state === 'allowed') return true;
  return now.wallMs >= stored.expiresAtMs || now.wallMs < stored.createdAtMs;
}

export function formatAction(action: ProposedAction): string {
  return JSON.stringify(action);
}

/* Shown for a row that cannot be read; it is denied anyway. */
const noAction: ProposedAction = {
  command: { kind: 'argv', argv: [''] },
  cwd: '',
  envAdditions: {},
  host: '',
  account: '',
};

function parseAction(json: string): ProposedAction | undefined {
  try {
    // The hash stands for its shape: only what we wrote ourselves can match.
    return JSON.parse(json) as ProposedAction;
  } catch {
    // Not ours any more; the record says so.
    return undefined;
  }
}

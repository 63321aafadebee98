/*
 * From stored rows to what callers see. Two rules are applied on every reading, so that no reader can forget them:
 *
 * - What has lapsed is expired (A3). The store says what has, as of the moment of the reading.
 * - A request that may still start is read with its hash checked (A4): one that does not match, or is gone, reads as denied. An
 *   approval that is over has no request left, so it can start nothing and needs no check.
 */
import { approvalDecisions, type ApprovalState } from '@clawdfather/protocol';
import type {
  ApprovalBody,
  ApprovalMoment,
  ApprovalReads,
  ApprovalStore,
  StoredApproval,
} from '@clawdfather/supervisor';
import { hashAction } from './action-hash.ts';
import { type Binding, parseBinding } from './binding.ts';
import type { ApprovalRecord, ApprovalSummary, ProposedAction } from './gatekeeper.ts';
import { nextApproval } from './next-approval.ts';
import { askerOf } from './requester.ts';
import { parseCommand } from './shown-command.ts';

export function momentOf(host: ApprovalStore['host'], clock: { wallMs(): number }): ApprovalMoment {
  return { bootId: host.bootId, bootMs: host.bootMs(), wallMs: clock.wallMs() };
}

export function summaryOfStored(stored: StoredApproval): ApprovalSummary {
  return {
    approvalId: stored.approvalId,
    runId: stored.runId,
    state: stateOf(stored),
    actionHash: stored.actionHash,
    account: stored.account,
    host: stored.host,
    cwd: stored.cwd,
    command: parseCommand(stored.command),
    labels: stored.labels,
    requester: stored.requester,
    asker: askerOf(stored.requesterMarks),
    why: stored.why,
    createdAtMs: stored.createdAtMs,
    expiresAtMs: stored.expiresAtMs,
    decision: approvalDecisions.find((one) => one === stored.decision),
    decidedBy: stored.decidedBy,
    decidedAtMs: stored.decidedAtMs,
    reason: stored.decisionReason,
    changed: stored.changed,
    askedAgainAs: stored.askedAgainAs,
  };
}

/* With what may start, if anything may. */
export function readWhole(
  store: Pick<ApprovalReads, 'approval' | 'approvalBody'>,
  approvalId: string,
  now: ApprovalMoment,
): ApprovalRecord | undefined {
  const stored = store.approval(approvalId, now);
  if (stored === undefined) return undefined;
  const summary = summaryOfStored(stored);
  const { command, cwd, host, account } = summary;
  if (summary.state !== 'pending' && summary.state !== 'allowed') {
    const action = { command, cwd, envAdditions: {}, host, account };
    const gone = { request: undefined, binding: undefined };
    return { ...summary, action, ...gone, droppedBytes: stored.bodyBytes };
  }
  const body = store.approvalBody(approvalId);
  const intact = body === undefined ? undefined : intactBody(stored, body);
  return intact === undefined
    ? changedRecord(summary)
    : { ...summary, ...intact, request: body?.request, droppedBytes: undefined };
}

function stateOf({ state, isLapsed }: StoredApproval): ApprovalState {
  return isLapsed ? nextApproval(state, 'lapse') : state;
}

interface IntactBody {
  readonly action: ProposedAction;
  readonly binding: Binding | undefined;
}

function intactBody(stored: StoredApproval, body: ApprovalBody): IntactBody | undefined {
  const action = parseAction(body.action);
  if (action === undefined || action.account !== stored.account) return undefined;
  const { runId } = stored;
  const { request, searchPath, binding } = body;
  const hash = hashAction({ action, runId, request, searchPath, binding });
  if (hash !== stored.actionHash) return undefined;
  if (binding === undefined) return { action, binding };
  const parsed = parseBinding(binding);
  return parsed === undefined ? undefined : { action, binding: parsed };
}

function changedRecord(summary: ApprovalSummary): ApprovalRecord {
  return {
    ...summary,
    state: 'denied',
    why: 'the stored action does not match its hash',
    decidedBy: 'clawdfather',
    reason: 'it was changed after it was asked for',
    action: noAction,
    request: undefined,
    binding: undefined,
    droppedBytes: undefined,
  };
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
    // No schema check is needed: only a text that we wrote matches the hash.
    return JSON.parse(json) as ProposedAction;
  } catch {
    // It was changed by others; the record reads as denied.
    return undefined;
  }
}

/*
 * Approvals as rows. Who may decide what is the business of the tools package; here is what has to be atomic between
 * processes, and what has to be known before a page is cut: whose a row is, its state, and whether it has lapsed.
 *
 * A row is small, whatever was asked for. What a start needs, and a caller chose the size of, lies in a body of its own, which
 * goes when the approval is over. `action`, `request`, `binding`, `command` and `requesterMarks` are texts that only their writer
 * understands.
 */
import type { RunRecord } from '../types.ts';
import type { RuleReads, RuleWrites } from './allow-rules.ts';

/* The column `state` is the index into this list. */
export const storedApprovalStates = [
  'pending',
  'allowed',
  'started',
  'denied',
  'expired',
  'changed',
] as const;
export type StoredApprovalState = (typeof storedApprovalStates)[number];

/* What of it lapses is counted in: the boot's own clock, and the wall clock for a boot that is over (C1). */
export interface ApprovalMoment {
  readonly bootId: string;
  readonly bootMs: number;
  readonly wallMs: number;
}

/* Of any size up to what may wait. */
export interface ApprovalBody {
  readonly action: string;
  readonly request: string;
  /* PATH of the run: what its programs were looked up in. */
  readonly searchPath: string;
  /* The directory and files as they were; undefined where nothing is bound, and of versions that bound nothing. */
  readonly binding?: string | undefined;
}

export function approvalBodyBytes({
  action,
  request,
  searchPath,
  binding = '',
}: ApprovalBody): number {
  const texts = [action, request, searchPath, binding];
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);
}

/* Its writer keeps these texts short, because lists read them. */
interface ApprovalFacts {
  readonly approvalId: string;
  readonly runId: string;
  readonly actionHash: string;
  /* Of what was asked alone: the same whatever it was bound to. Undefined of earlier versions, whose two hashes are one. */
  readonly askedHash?: string | undefined;
  readonly account: string;
  readonly host: string;
  readonly cwd: string;
  /* As it is shown, cut. */
  readonly command: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly requester: string;
  readonly requesterMarks: string;
  readonly why: string;
  readonly bootId: string;
  /* When the present state lapses, in monotonic milliseconds of that boot (C1). */
  readonly lapsesBootMs: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

export interface NewApproval extends ApprovalFacts {
  readonly body: ApprovalBody;
}

export interface StoredApproval extends ApprovalFacts {
  /* As it was last written. */
  readonly state: StoredApprovalState;
  /* Its time was over at the moment of the reading, and nothing has been written about that yet. */
  readonly isLapsed: boolean;
  /* Of its body, also when that is gone. */
  readonly bodyBytes: number;
  readonly decision: string | undefined;
  readonly decidedBy: string | undefined;
  readonly decidedAtMs: number | undefined;
  readonly decisionReason: string | undefined;
  /* What was another at the start. */
  readonly changed: string | undefined;
  /* The approval that was asked for instead. */
  readonly askedAgainAs: string | undefined;
  readonly startedAtMs: number | undefined;
  /* Up to which state an audit log has it: `pending` is nothing yet. */
  readonly toldState: StoredApprovalState;
}

/* Absent fields stay as they are. */
export interface ApprovalChange {
  readonly state: Exclude<StoredApprovalState, 'pending' | 'started'>;
  readonly bootId?: string;
  readonly lapsesBootMs?: number;
  readonly decision?: string;
  readonly decidedBy?: string;
  readonly decidedAtMs?: number;
  readonly decisionReason?: string | undefined;
  readonly changed?: string | undefined;
  readonly askedAgainAs?: string | undefined;
}

export interface ApprovalFilter {
  /* What has lapsed counts as expired. Default all. */
  readonly states?: readonly StoredApprovalState[];
  /* Default all there are: for the owner of the machine. */
  readonly accounts?: readonly string[];
  readonly idPrefix?: string;
  readonly runIdPrefix?: string;
}

export interface ApprovalPage extends ApprovalFilter {
  readonly limit: number;
  readonly offset?: number;
}

export interface WaitingAmount {
  readonly count: number;
  readonly bytes: number;
}

export interface ApprovalReads extends RuleReads {
  readonly approval: (approvalId: string, now: ApprovalMoment) => StoredApproval | undefined;
  readonly approvalOfRun: (runId: string, now: ApprovalMoment) => StoredApproval | undefined;
  /* Newest first. */
  readonly approvals: (page: ApprovalPage, now: ApprovalMoment) => readonly StoredApproval[];
  readonly countApprovals: (filter: ApprovalFilter, now: ApprovalMoment) => number;
  /* Undefined once the approval is over. */
  readonly approvalBody: (approvalId: string) => ApprovalBody | undefined;
  /* What has not been ended in writing, of one account or of all. */
  readonly waitingApprovals: (account?: string) => WaitingAmount;
  /* Decisions and starts that no audit log was told of, oldest first. */
  readonly untoldApprovals: (limit: number, now: ApprovalMoment) => readonly StoredApproval[];
  /* The run that this process holds, as long as something of it lives. */
  readonly runOfShim: (shim: ShimMark) => RunRecord | undefined;
}

export interface ShimMark {
  readonly pid: number;
  readonly startTicks: number;
}

export interface ApprovalWrites extends ApprovalReads, RuleWrites {
  /* `exists`: this approval or its run id is known, and nothing was written. */
  readonly insertApproval: (approval: NewApproval) => 'inserted' | 'exists';
  /* Only from that state; false, and nothing is written, when it is another one by now. What is over loses its body. */
  readonly changeApproval: (
    approvalId: string,
    from: StoredApprovalState,
    change: ApprovalChange,
  ) => boolean;
  /* Writes down what has lapsed, of one account or of all. */
  readonly settleLapsed: (now: ApprovalMoment, account?: string) => void;
  /* An audit log has all of it up to this state. */
  readonly tellApproval: (approvalId: string, state: StoredApprovalState) => void;
  /* Forgets those that are over: all that were made before this, and of the account all but the newest so many. */
  readonly forgetApprovals: (old: OldApprovals) => void;
}

export interface OldApprovals {
  readonly createdBeforeMs: number;
  readonly account: string;
  readonly keptMax: number;
}

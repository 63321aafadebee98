/*
 * Approvals as rows: plain reads and writes. What a state means, when one lapses and who may decide is the business of
 * the tools package; here is only what has to be atomic between processes.
 *
 * Rows are parsed as untrusted as any (rows.ts). `action`, `request` and `requesterMarks` are texts that only their
 * writer understands.
 */
import type { RunRecord } from '../types.ts';
import { number, optionalNumber, optionalText, parseRun, selectOpenRuns, text } from './rows.ts';
import type { Row, Statements } from './statements.ts';

/* The column `state` is the index into this list. */
export const storedApprovalStates = ['pending', 'allowed', 'started', 'denied', 'expired'] as const;
export type StoredApprovalState = (typeof storedApprovalStates)[number];

export interface NewApproval {
  readonly approvalId: string;
  readonly runId: string;
  readonly actionHash: string;
  readonly action: string;
  readonly request: string;
  /* PATH of the run: what its programs were looked up in. */
  readonly searchPath: string;
  readonly requester: string;
  readonly requesterMarks: string;
  readonly why: string;
  readonly bootId: string;
  /* When the present state lapses, in monotonic milliseconds of that boot (C1). */
  readonly lapsesBootMs: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

export interface StoredApproval extends NewApproval {
  readonly state: StoredApprovalState;
  readonly decision: string | undefined;
  readonly decidedBy: string | undefined;
  readonly decidedAtMs: number | undefined;
  readonly decisionReason: string | undefined;
  readonly startedAtMs: number | undefined;
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
}

export interface NewAllowRule {
  readonly account: string;
  /* Where the name leads, with links of directories followed, and the file it is in the end. Both must fit. */
  readonly namedPath: string;
  readonly realPath: string;
  readonly approvalId: string;
  readonly addedBy: string;
  readonly addedAtMs: number;
}

export interface ApprovalFilter {
  readonly states?: readonly StoredApprovalState[];
  readonly idPrefix?: string;
  readonly limit?: number;
}

export interface ApprovalReads {
  readonly approval: (approvalId: string) => StoredApproval | undefined;
  readonly approvalOfRun: (runId: string) => StoredApproval | undefined;
  /* Newest first. */
  readonly approvals: (filter?: ApprovalFilter) => readonly StoredApproval[];
  readonly allowRules: (account: string) => readonly NewAllowRule[];
  /* The run that this process holds, as long as something of it lives. */
  readonly runOfShim: (shim: ShimMark) => RunRecord | undefined;
}

export interface ShimMark {
  readonly pid: number;
  readonly startTicks: number;
}

export interface ApprovalWrites extends ApprovalReads {
  /* `exists`: this approval or its run id is known, and nothing was written. */
  readonly insertApproval: (approval: NewApproval) => 'inserted' | 'exists';
  /* Only from that state; false, and nothing is written, when it is another one by now. */
  readonly changeApproval: (
    approvalId: string,
    from: StoredApprovalState,
    change: ApprovalChange,
  ) => boolean;
  /* The same rule twice is one. */
  readonly insertAllowRule: (rule: NewAllowRule) => void;
  /* Forgets those that are over and were made before this, with all they hold. */
  readonly forgetApprovals: (before: { readonly createdAtMs: number }) => void;
}

/* More would be a page that nobody reads. */
const listRowsDefault = 1_000;

const insertSql = `INSERT INTO approvals (approval_id, run_id, state, action_hash, action, request, search_path, requester,
  requester_marks, why, boot_id, lapses_boot_ms, created_at_ms, expires_at_ms)
  VALUES (?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

const changeSql = `UPDATE approvals SET state = ?, boot_id = coalesce(?, boot_id),
  lapses_boot_ms = coalesce(?, lapses_boot_ms), decision = coalesce(?, decision),
  decided_by = coalesce(?, decided_by), decided_at_ms = coalesce(?, decided_at_ms),
  decision_reason = coalesce(?, decision_reason) WHERE approval_id = ? AND state = ?`;

const insertRuleSql = `INSERT INTO allow_rules (account, named_path, real_path, approval_id, added_by, added_at_ms)
  VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

export function createApprovalReads({ one, all }: Statements): ApprovalReads {
  const parsed = (row: Row | undefined): StoredApproval | undefined =>
    row === undefined ? undefined : parseApproval(row);
  return {
    approval: (id) => parsed(one('SELECT * FROM approvals WHERE approval_id = ?', [id])),
    approvalOfRun: (id) => parsed(one('SELECT * FROM approvals WHERE run_id = ?', [id])),
    approvals: ({ states = storedApprovalStates, idPrefix = '', limit } = {}) => {
      const numbers = states.map((state) => storedApprovalStates.indexOf(state));
      // A range instead of LIKE, as for runs: ids hold nothing above `~`.
      return all(
        `SELECT * FROM approvals WHERE state IN (${numbers.join(', ')})
         AND approval_id >= ? AND approval_id < ? ORDER BY seq DESC LIMIT ?`,
        [idPrefix, `${idPrefix}~`, limit ?? listRowsDefault],
      ).map(parseApproval);
    },
    allowRules: (account) =>
      all('SELECT * FROM allow_rules WHERE account = ? ORDER BY seq', [account]).map(parseRule),
    runOfShim: ({ pid, startTicks }) => {
      const row = one(
        `${selectOpenRuns} WHERE r.tree_ended_at_ms IS NULL AND r.shim_pid = ? AND r.shim_start_ticks = ?`,
        [pid, startTicks],
      );
      return row === undefined ? undefined : parseRun(row);
    },
  };
}

export function createApprovalWrites(statements: Statements): ApprovalWrites {
  const { run } = statements;
  return {
    ...createApprovalReads(statements),
    insertApproval: (input) => {
      const ids = [input.approvalId, input.runId, input.actionHash, input.action, input.request];
      const who = [input.searchPath, input.requester, input.requesterMarks, input.why];
      const times = [input.bootId, input.lapsesBootMs, input.createdAtMs, input.expiresAtMs];
      return run(insertSql, [...ids, ...who, ...times]) === 1 ? 'inserted' : 'exists';
    },
    changeApproval: (approvalId, from, change) => {
      const next = [storedApprovalStates.indexOf(change.state), change.bootId, change.lapsesBootMs];
      const who = [change.decision, change.decidedBy, change.decidedAtMs, change.decisionReason];
      const where = [approvalId, storedApprovalStates.indexOf(from)];
      return run(changeSql, [...next, ...who, ...where]) === 1;
    },
    insertAllowRule: (rule) => {
      const what = [rule.account, rule.namedPath, rule.realPath];
      run(insertRuleSql, [...what, rule.approvalId, rule.addedBy, rule.addedAtMs]);
    },
    forgetApprovals: ({ createdAtMs }) => {
      run('DELETE FROM approvals WHERE state >= 2 AND created_at_ms < ?', [createdAtMs]);
    },
  };
}

function parseApproval(row: Row): StoredApproval {
  return {
    approvalId: text(row, 'approval_id'),
    runId: text(row, 'run_id'),
    // A number that is no state of ours can only mean that nothing may start.
    state: storedApprovalStates[number(row, 'state')] ?? 'denied',
    actionHash: text(row, 'action_hash'),
    action: text(row, 'action'),
    request: text(row, 'request'),
    searchPath: text(row, 'search_path'),
    requester: text(row, 'requester'),
    requesterMarks: text(row, 'requester_marks'),
    why: text(row, 'why'),
    bootId: text(row, 'boot_id'),
    lapsesBootMs: number(row, 'lapses_boot_ms'),
    createdAtMs: number(row, 'created_at_ms'),
    expiresAtMs: number(row, 'expires_at_ms'),
    decision: optionalText(row, 'decision'),
    decidedBy: optionalText(row, 'decided_by'),
    decidedAtMs: optionalNumber(row, 'decided_at_ms'),
    decisionReason: optionalText(row, 'decision_reason'),
    startedAtMs: optionalNumber(row, 'started_at_ms'),
  };
}

function parseRule(row: Row): NewAllowRule {
  return {
    account: text(row, 'account'),
    namedPath: text(row, 'named_path'),
    realPath: text(row, 'real_path'),
    approvalId: text(row, 'approval_id'),
    addedBy: text(row, 'added_by'),
    addedAtMs: number(row, 'added_at_ms'),
  };
}

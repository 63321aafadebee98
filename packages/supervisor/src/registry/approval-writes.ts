/*
 * Writing approvals, inside a transaction of the commit queue (Q1). The triggers of migration 0003 end them with their runs
 * and drop their bodies.
 */
import type { Statements } from '@clawdfather/sqlite';
import { createRuleWrites } from './allow-rules.ts';
import { createApprovalReads, lapsedSql, lapsedValues } from './approval-reads.ts';
import { approvalBodyBytes, type ApprovalWrites, storedApprovalStates } from './approvals.ts';
import { formatLabels } from './rows.ts';

const insertSql = `INSERT INTO approvals (approval_id, run_id, state, action_hash, account, host, cwd, command, labels, requester,
  requester_marks, why, boot_id, lapses_boot_ms, created_at_ms, expires_at_ms, body_bytes, asked_hash)
  VALUES (?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

const insertBodySql = `INSERT INTO approval_bodies (seq, action, request, search_path, binding)
  SELECT seq, ?, ?, ?, ? FROM approvals WHERE approval_id = ?`;

const changeSql = `UPDATE approvals SET state = ?, boot_id = coalesce(?, boot_id),
  lapses_boot_ms = coalesce(?, lapses_boot_ms), decision = coalesce(?, decision),
  decided_by = coalesce(?, decided_by), decided_at_ms = coalesce(?, decided_at_ms),
  decision_reason = coalesce(?, decision_reason), changed = coalesce(?, changed),
  asked_again_as = coalesce(?, asked_again_as) WHERE approval_id = ? AND state = ?`;

/* The index is named so that only what is deleted is read. */
const forgetOldSql = `DELETE FROM approvals INDEXED BY approvals_age WHERE state >= 2 AND created_at_ms < ?`;

const forgetManySql = `DELETE FROM approvals WHERE seq IN (SELECT seq FROM approvals INDEXED BY approvals_account
  WHERE account = ? AND state IN (2, 3, 4, 5) ORDER BY seq DESC LIMIT -1 OFFSET ?)`;

export function createApprovalWrites(statements: Statements): ApprovalWrites {
  const { run } = statements;
  return {
    ...createApprovalReads(statements),
    ...createRuleWrites(statements),
    insertApproval: (input) => {
      const ids = [input.approvalId, input.runId, input.actionHash, input.account, input.host];
      const what = [input.cwd, input.command, formatLabels(input.labels)];
      const who = [input.requester, input.requesterMarks, input.why];
      const times = [input.bootId, input.lapsesBootMs, input.createdAtMs, input.expiresAtMs];
      const bytes = approvalBodyBytes(input.body);
      const rest = [bytes, input.askedHash];
      if (run(insertSql, [...ids, ...what, ...who, ...times, ...rest]) !== 1) return 'exists';
      const { action, request, searchPath, binding } = input.body;
      run(insertBodySql, [action, request, searchPath, binding, input.approvalId]);
      return 'inserted';
    },
    changeApproval: (approvalId, from, change) => {
      const next = [storedApprovalStates.indexOf(change.state), change.bootId, change.lapsesBootMs];
      const who = [change.decision, change.decidedBy, change.decidedAtMs, change.decisionReason];
      const where = [approvalId, storedApprovalStates.indexOf(from)];
      const again = [change.changed, change.askedAgainAs];
      return run(changeSql, [...next, ...who, ...again, ...where]) === 1;
    },
    settleLapsed: (now, account) => {
      const settle = `UPDATE approvals AS a INDEXED BY approvals_waiting SET state = 4 WHERE state < 2 AND ${lapsedSql}`;
      const values = lapsedValues(now);
      if (account === undefined) run(settle, values);
      else run(`${settle} AND account = ?`, [...values, account]);
    },
    tellApproval: (approvalId, state) => {
      const number = storedApprovalStates.indexOf(state);
      run('UPDATE approvals SET told_state = ? WHERE approval_id = ?', [number, approvalId]);
    },
    forgetApprovals: ({ createdBeforeMs, account, keptMax }) => {
      run(forgetOldSql, [createdBeforeMs]);
      run(forgetManySql, [account, keptMax]);
    },
  };
}

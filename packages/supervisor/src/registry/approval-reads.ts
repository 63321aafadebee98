/*
 * Reading approvals. Pages are cut in SQL, by state and account, so that decided approvals never push waiting ones off a
 * page, and a page reads no rows of other accounts and none beyond its end.
 *
 * Rows are checked as they are parsed, like all rows (rows.ts).
 */
import type { Row, Statements, SqlValues } from '@clawdfather/sqlite';
import { createRuleReads } from './allow-rules.ts';
import type { ApprovalFilter, ApprovalMoment, ApprovalReads, StoredApproval } from './approvals.ts';
import { storedApprovalStates } from './approvals.ts';
import {
  number,
  optionalNumber,
  optionalText,
  parseLabels,
  parseRun,
  selectOpenRuns,
  text,
} from './rows.ts';

/*
 * A3, C1: within one boot the monotonic clock counts: a clock that is set forward expires nothing, one that is set back keeps
 * nothing alive, a suspended machine waits. Of a boot that is over, `allowed` has lapsed (the registry may have lost the last
 * moments before a power cut, so "not started" proves nothing); `pending` has when the wall clock says so, or says nothing
 * sensible.
 */
export const lapsedSql = `(a.state < 2 AND CASE WHEN a.boot_id = ? THEN a.lapses_boot_ms <= ?
  ELSE a.state = 1 OR a.expires_at_ms <= ? OR a.created_at_ms > ? END)`;

export function lapsedValues({ bootId, bootMs, wallMs }: ApprovalMoment): SqlValues {
  return [bootId, bootMs, wallMs, wallMs];
}

/* As the index has it. */
const untoldSql = 'WHERE a.decision IS NOT NULL AND a.told_state <> a.state';

const selectSql = `SELECT a.*, ${lapsedSql} AS is_lapsed FROM approvals a`;

export function createApprovalReads(statements: Pick<Statements, 'one' | 'all'>): ApprovalReads {
  const { one, all } = statements;
  const find = (where: string, id: string, now: ApprovalMoment): StoredApproval | undefined => {
    const row = one(`${selectSql} WHERE ${where} = ?`, [...lapsedValues(now), id]);
    return row === undefined ? undefined : parseApproval(row);
  };
  return {
    ...createRuleReads(statements),
    approval: (id, now) => find('a.approval_id', id, now),
    approvalOfRun: (id, now) => find('a.run_id', id, now),
    approvals: ({ limit, offset = 0, ...filter }, now) => {
      const { from, where, values } = whereOf(filter, now);
      // Only the rows of the page are read to their end; what is passed over is judged by the beginning of a row.
      const page = `SELECT a.seq FROM ${from} WHERE ${where} ORDER BY a.seq DESC LIMIT ? OFFSET ?`;
      return all(`${selectSql} WHERE a.seq IN (${page}) ORDER BY a.seq DESC`, [
        ...lapsedValues(now),
        ...values,
        limit,
        offset,
      ]).map(parseApproval);
    },
    countApprovals: (filter, now) => {
      const { from, where, values } = whereOf(filter, now);
      const row = one(`SELECT count(*) AS count FROM ${from} WHERE ${where}`, values);
      return Number(row?.['count'] ?? 0);
    },
    approvalBody: (id) => {
      const row = one(
        `SELECT b.* FROM approvals a JOIN approval_bodies b ON b.seq = a.seq WHERE a.approval_id = ?`,
        [id],
      );
      if (row === undefined) return undefined;
      const binding = optionalText(row, 'binding');
      return {
        action: text(row, 'action'),
        request: text(row, 'request'),
        searchPath: text(row, 'search_path'),
        ...(binding === undefined ? {} : { binding }),
      };
    },
    waitingApprovals: (account) => {
      const sums = `SELECT count(*) AS count, coalesce(sum(body_bytes), 0) AS bytes
        FROM approvals INDEXED BY approvals_waiting WHERE state < 2`;
      const row = account === undefined ? one(sums) : one(`${sums} AND account = ?`, [account]);
      return { count: Number(row?.['count'] ?? 0), bytes: Number(row?.['bytes'] ?? 0) };
    },
    untoldApprovals: (limit, now) =>
      all(`${selectSql} INDEXED BY approvals_untold ${untoldSql} ORDER BY a.seq LIMIT ?`, [
        ...lapsedValues(now),
        limit,
      ]).map(parseApproval),
    runOfShim: ({ pid, startTicks }) => {
      const row = one(
        `${selectOpenRuns} WHERE r.tree_ended_at_ms IS NULL AND r.shim_pid = ? AND r.shim_start_ticks = ?`,
        [pid, startTicks],
      );
      return row === undefined ? undefined : parseRun(row);
    },
  };
}

interface Where {
  readonly where: string;
  readonly values: SqlValues;
}

function whereOf(filter: ApprovalFilter, now: ApprovalMoment): Where & { readonly from: string } {
  const { states, accounts, idPrefix, runIdPrefix } = filter;
  const terms: Where[] = [{ where: '1', values: [] }];
  if (accounts !== undefined) {
    // As one value, so that any number of accounts is the same statement.
    terms.push({
      where: 'a.account IN (SELECT value FROM json_each(?))',
      values: [JSON.stringify(accounts)],
    });
  }
  if (states !== undefined) terms.push(statesTerm(states, now));
  // A range instead of LIKE, as for runs: ids hold nothing above `~`.
  if (idPrefix !== undefined) terms.push(rangeOf('a.approval_id', idPrefix));
  if (runIdPrefix !== undefined) terms.push(rangeOf('a.run_id', runIdPrefix));
  // Of all accounts SQLite would rather look at every row than sort the few that wait.
  const isWaiting = states?.every((state) => state === 'pending' || state === 'allowed') === true;
  const from =
    isWaiting && accounts === undefined
      ? 'approvals a INDEXED BY approvals_waiting'
      : 'approvals a';
  if (isWaiting) terms.push({ where: 'a.state < 2', values: [] });
  return {
    from,
    where: terms.map((term) => term.where).join(' AND '),
    values: terms.flatMap((term) => term.values),
  };
}

function rangeOf(column: string, prefix: string): Where {
  return { where: `${column} >= ? AND ${column} < ?`, values: [prefix, `${prefix}~`] };
}

/* What waits and has lapsed is one of the expired. */
function statesTerm(states: readonly string[], now: ApprovalMoment): Where {
  const numbers = storedApprovalStates.flatMap((state, index) =>
    states.includes(state) ? [index] : [],
  );
  const listed = `a.state IN (${numbers.join(', ')})`;
  const values = lapsedValues(now);
  return states.includes('expired')
    ? { where: `(${listed} AND NOT ${lapsedSql} OR ${lapsedSql})`, values: [...values, ...values] }
    : { where: `${listed} AND NOT ${lapsedSql}`, values };
}

function parseApproval(row: Row): StoredApproval {
  return {
    approvalId: text(row, 'approval_id'),
    runId: text(row, 'run_id'),
    // A number that is no state of ours can only mean that nothing may start.
    state: storedApprovalStates[number(row, 'state')] ?? 'denied',
    isLapsed: number(row, 'is_lapsed') === 1,
    bodyBytes: number(row, 'body_bytes'),
    actionHash: text(row, 'action_hash'),
    askedHash: optionalText(row, 'asked_hash'),
    account: text(row, 'account'),
    host: text(row, 'host'),
    cwd: text(row, 'cwd'),
    command: text(row, 'command'),
    labels: parseLabels(optionalText(row, 'labels')),
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
    changed: optionalText(row, 'changed'),
    askedAgainAs: optionalText(row, 'asked_again_as'),
    startedAtMs: optionalNumber(row, 'started_at_ms'),
    toldState: storedApprovalStates[number(row, 'told_state')] ?? 'pending',
  };
}

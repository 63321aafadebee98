/*
 * Rules that a person's decision left behind: programs that run unasked from then on.
 *
 * Only those that hold are looked at when a command is judged, at every command, so a revocation in any process counts from the next
 * one on. Those that were revoked are kept for a while, as the record of who took what back.
 */
import type { Row, Statements, SqlValues } from '@clawdfather/sqlite';
import { number, optionalNumber, optionalText, text } from './rows.ts';

export interface NewAllowRule {
  readonly ruleId: string;
  readonly account: string;
  /* Where the name leads, with links of directories followed, and the file it is in the end. Both must fit. */
  readonly namedPath: string;
  readonly realPath: string;
  readonly approvalId: string;
  readonly addedBy: string;
  readonly addedAtMs: number;
}

export interface AllowRule extends NewAllowRule {
  /* How many runs it let start, and when it last did. */
  readonly usedCount: number;
  readonly lastUsedAtMs: number | undefined;
  readonly revokedBy: string | undefined;
  readonly revokedAtMs: number | undefined;
}

export interface RuleFilter {
  /* Default all there are: for the owner of the machine. */
  readonly accounts?: readonly string[];
  readonly idPrefix?: string;
  readonly approvalId?: string;
  /* With those that were revoked. Default only those that hold. */
  readonly isRevokedToo?: boolean;
}

export interface RulePage extends RuleFilter {
  readonly limit: number;
  readonly offset?: number;
}

export interface RuleReads {
  /* Those that hold, oldest first. */
  readonly allowRules: (account: string) => readonly AllowRule[];
  /* Also one that was revoked. */
  readonly allowRule: (ruleId: string) => AllowRule | undefined;
  /* Newest first. */
  readonly rules: (page: RulePage) => readonly AllowRule[];
  readonly countRules: (filter: RuleFilter) => number;
  /* Revocations that no audit log was told of, oldest first. */
  readonly untoldRules: (limit: number) => readonly AllowRule[];
}

export interface RuleWrites {
  /* The same rule twice is one. */
  readonly insertAllowRule: (rule: NewAllowRule) => void;
  /* Those of an account that hold are another's from now on, unless that one has them already. */
  readonly moveRules: (from: string, to: string) => void;
  /* False, and nothing is written, when it does not hold any more. */
  readonly revokeRule: (ruleId: string, by: string, atMs: number) => boolean;
  /* An audit log has its revocation. */
  readonly tellRule: (ruleId: string) => void;
  /* Those that were revoked before this. */
  readonly forgetRules: (revokedBeforeMs: number) => void;
}

const insertSql = `INSERT INTO allow_rules (rule_id, account, named_path, real_path, approval_id, added_by, added_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

const moveSql =
  'UPDATE OR IGNORE allow_rules SET account = ? WHERE account = ? AND revoked_at_ms IS NULL';

const revokeSql =
  'UPDATE allow_rules SET revoked_by = ?, revoked_at_ms = ? WHERE rule_id = ? AND revoked_at_ms IS NULL';

const holdingSql =
  'SELECT * FROM allow_rules WHERE account = ? AND revoked_at_ms IS NULL ORDER BY seq';

const untoldSql = `SELECT * FROM allow_rules INDEXED BY allow_rules_untold
  WHERE revoked_at_ms IS NOT NULL AND is_told = 0 ORDER BY seq LIMIT ?`;

export function createRuleReads({ one, all }: Pick<Statements, 'one' | 'all'>): RuleReads {
  return {
    allowRules: (account) => all(holdingSql, [account]).map(parseRule),
    allowRule: (ruleId) => {
      const row = one('SELECT * FROM allow_rules WHERE rule_id = ?', [ruleId]);
      return row === undefined ? undefined : parseRule(row);
    },
    rules: ({ limit, offset = 0, ...filter }) => {
      const { where, values } = whereOf(filter);
      const sql = `SELECT * FROM allow_rules WHERE ${where} ORDER BY seq DESC LIMIT ? OFFSET ?`;
      return all(sql, [...values, limit, offset]).map(parseRule);
    },
    countRules: (filter) => {
      const { where, values } = whereOf(filter);
      const row = one(`SELECT count(*) AS count FROM allow_rules WHERE ${where}`, values);
      return Number(row?.['count'] ?? 0);
    },
    untoldRules: (limit) => all(untoldSql, [limit]).map(parseRule),
  };
}

export function createRuleWrites({ run }: Pick<Statements, 'run'>): RuleWrites {
  return {
    insertAllowRule: (rule) => {
      const what = [rule.ruleId, rule.account, rule.namedPath, rule.realPath];
      run(insertSql, [...what, rule.approvalId, rule.addedBy, rule.addedAtMs]);
    },
    moveRules: (from, to) => {
      run(moveSql, [to, from]);
    },
    revokeRule: (ruleId, by, atMs) => run(revokeSql, [by, atMs, ruleId]) === 1,
    tellRule: (ruleId) => {
      run('UPDATE allow_rules SET is_told = 1 WHERE rule_id = ?', [ruleId]);
    },
    forgetRules: (revokedBeforeMs) => {
      run('DELETE FROM allow_rules WHERE revoked_at_ms < ?', [revokedBeforeMs]);
    },
  };
}

interface Where {
  readonly where: string;
  readonly values: SqlValues;
}

function whereOf({ accounts, idPrefix, approvalId, isRevokedToo = false }: RuleFilter): Where {
  const terms: Where[] = [{ where: isRevokedToo ? '1' : 'revoked_at_ms IS NULL', values: [] }];
  if (accounts !== undefined) {
    const where = 'account IN (SELECT value FROM json_each(?))';
    terms.push({ where, values: [JSON.stringify(accounts)] });
  }
  // A range instead of LIKE, as for runs: ids hold nothing above `~`.
  if (idPrefix !== undefined) {
    terms.push({ where: 'rule_id >= ? AND rule_id < ?', values: [idPrefix, `${idPrefix}~`] });
  }
  if (approvalId !== undefined) terms.push({ where: 'approval_id = ?', values: [approvalId] });
  return {
    where: terms.map((term) => term.where).join(' AND '),
    values: terms.flatMap((term) => term.values),
  };
}

function parseRule(row: Row): AllowRule {
  return {
    ruleId: text(row, 'rule_id'),
    account: text(row, 'account'),
    namedPath: text(row, 'named_path'),
    realPath: text(row, 'real_path'),
    approvalId: text(row, 'approval_id'),
    addedBy: text(row, 'added_by'),
    addedAtMs: number(row, 'added_at_ms'),
    usedCount: number(row, 'used_count'),
    lastUsedAtMs: optionalNumber(row, 'last_used_at_ms'),
    revokedBy: optionalText(row, 'revoked_by'),
    revokedAtMs: optionalNumber(row, 'revoked_at_ms'),
  };
}

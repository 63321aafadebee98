/*
 * A program that was allowed for ever, as the command line shows it: the same fields here and at a gateway, and with `--json`.
 */
import { basename } from 'node:path';
import type { Client } from '@clawdfather/sdk';
import type { AllowRule } from '@clawdfather/supervisor';
import { suggestNearest } from '@clawdfather/kit';
import { cliAccount } from '@clawdfather/supervisor/origins';
import { makeVisible } from '@clawdfather/tools/text';
import { CliError } from '../errors.ts';
import { formatAge, formatInstant } from '../render/duration.ts';
import type { Paint } from '../render/paint.ts';
import { formatTable } from '../render/table.ts';
import { shortApprovalChars } from './find-approval.ts';

export type Rule = Awaited<ReturnType<Client['approvalRules']['list']>>['items'][number];

export function ruleOf(rule: AllowRule, runsAnything: boolean): Rule {
  const { lastUsedAtMs, revokedAtMs } = rule;
  return {
    id: rule.ruleId,
    program: makeVisible(rule.namedPath),
    file: makeVisible(rule.realPath),
    runsAnything,
    account: rule.account,
    approvalId: rule.approvalId,
    addedBy: rule.addedBy,
    addedAt: formatInstant(rule.addedAtMs),
    uses: rule.usedCount,
    lastUsedAt: lastUsedAtMs === undefined ? null : formatInstant(lastUsedAtMs),
    revokedBy: rule.revokedBy ?? null,
    revokedAt: revokedAtMs === undefined ? null : formatInstant(revokedAtMs),
  };
}

/*
 * The one that is meant by an id, a unique beginning of one, or its program while it holds; `where` is what follows `clf rules` to list
 * them again.
 */
export function findRule(rules: readonly Rule[], typed: string, where: string): Rule {
  const byId = rules.filter(({ id }) => typed !== '' && id.startsWith(typed));
  const found = byId.length > 0 ? byId : rules.filter((rule) => isOfProgram(rule, typed));
  const exact = found.find(({ id }) => id === typed);
  const holding = found.filter(({ revokedAt }) => revokedAt === null);
  // Whoever types the beginning of an id means one that holds.
  const [one, ...others] = exact === undefined && holding.length > 0 ? holding : found;
  if (exact !== undefined) return exact;
  if (one === undefined) throw notFound(rules, typed, where);
  if (others.length === 0) return one;
  throw new CliError('rule-ambiguous', `several rules are meant by "${makeVisible(typed)}"`, {
    hint: `Say which: ${[one, ...others].map(({ id }) => id).join(', ')}`,
    detail: { typed },
  });
}

/* `touch`, or where it is. */
function isOfProgram({ program, revokedAt }: Rule, typed: string): boolean {
  return revokedAt === null && (program === typed || basename(program) === typed);
}

function notFound(rules: readonly Rule[], typed: string, where: string): CliError {
  const known = rules.filter(({ revokedAt }) => revokedAt === null).map(({ id }) => id);
  const nearest =
    suggestNearest(typed, known) ??
    suggestNearest(typed, [...new Set(known.map((id) => id.slice(0, typed.length)))]);
  return new CliError('rule-not-found', `no rule has the id or program "${makeVisible(typed)}"`, {
    hint: nearest === undefined ? `All of them: clf rules${where}` : `Did you mean ${nearest}?`,
    detail: { typed },
  });
}

export function revokedBefore({ id, revokedBy, revokedAt }: Rule): CliError {
  return new CliError(
    'rule-revoked',
    `rule ${id} does not hold any more: ${makeVisible(revokedBy ?? 'somebody')} has revoked it at ${revokedAt ?? 'some time'}`,
    { detail: { id } },
  );
}

export interface RuleTextOptions {
  readonly paint: Paint;
  readonly nowMs: number;
  /* Accounts of the person who looks; a rule of another one says whose it is. */
  readonly ownAccounts: readonly string[];
  readonly columnsMax: number | undefined;
}

export function formatRules(rules: readonly Rule[], options: RuleTextOptions): string {
  const { paint, nowMs, columnsMax } = options;
  const headers = ['ID', 'ALLOWED', 'BY', 'REQUEST', 'USES', 'LAST USED', 'PROGRAM'];
  const rows = rules.map((rule) => [
    { text: rule.id.slice(0, shortApprovalChars), paint: paint.strong },
    { text: formatAge(nowMs, Date.parse(rule.addedAt)) },
    { text: makeVisible(rule.addedBy) },
    { text: rule.approvalId.slice(0, shortApprovalChars) },
    { text: String(rule.uses), isRight: true },
    { text: rule.lastUsedAt === null ? 'never' : formatAge(nowMs, Date.parse(rule.lastUsedAt)) },
    { text: programText(rule, options), ...(rule.revokedAt === null ? {} : { paint: paint.dim }) },
  ]);
  const layout = {
    headers,
    paintHeader: paint.dim,
    rightHeaders: ['USES'],
    columnsMax,
    dispensable: ['REQUEST', 'LAST USED', 'BY'],
    lastColumnWanted: programWanted,
  };
  const table = formatTable(layout, rows);
  // A warning that is cut off warns nobody.
  const [, ...lines] = table.split('\n');
  const cut = rules.filter((rule, at) => rule.runsAnything && !lines[at]?.includes(anything));
  const ids = cut.map(({ id }) => id.slice(0, shortApprovalChars));
  return cut.length === 0 ? table : `${table}${paint.warn(`${anything}: ${ids.join(', ')}`)}\n`;
}

const anything = 'it can run anything';
/* A program of the system, with the warning. */
const programWanted = 48;

function programText(rule: Rule, { nowMs, ownAccounts }: RuleTextOptions): string {
  const { program, file, runsAnything, account, revokedBy, revokedAt } = rule;
  const notes = [
    ...(runsAnything ? [anything] : []),
    ...(account === cliAccount ? ['for your own clf exec'] : []),
    ...(file === program ? [] : [`the file ${file}`]),
    ...(ownAccounts.includes(account) ? [] : [`for the account ${makeVisible(account)}`]),
    ...(revokedAt === null
      ? []
      : [`revoked by ${makeVisible(revokedBy ?? '')} ${formatAge(nowMs, Date.parse(revokedAt))}`]),
  ];
  return notes.length === 0 ? program : `${program} (${notes.join('; ')})`;
}

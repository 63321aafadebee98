/*
 * One entry of the audit log for people: who did what to what, and for what ran, the command and what let it. Of entries that have no
 * words here, all details are shown as they are.
 */
import { makeVisible } from '@clawdfather/tools/text';
import { localHost } from '@clawdfather/supervisor/origins';

export interface AuditFacts {
  readonly action: string;
  readonly actor: string;
  readonly target: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

type Detail = AuditFacts['detail'];

/*
 * What was decided, revoked or started without the gateway is written down when the gateway hears of it, which may be days later.
 * People want to know when it was.
 */
export function happenedAt({
  at,
  detail,
}: Pick<AuditFacts, 'detail'> & { readonly at: string }): string {
  const { decided_at: decidedAt, revoked_at: revokedAt, started_at: startedAt } = detail;
  const known = [decidedAt, revokedAt, startedAt].find((time) => typeof time === 'string');
  return known ?? at;
}

/* Without the time and the action. */
export function formatAuditEntry({ action, actor, target, detail }: AuditFacts): string {
  const { who, via, ...rest } = detail;
  const name = typeof who === 'string' ? ` (${who})` : '';
  const way = via === undefined ? '' : ` over ${textOf(via)}`;
  const what = target === null ? '' : ` → ${target}`;
  const words = wordsOf[action]?.(rest) ?? otherWords(rest);
  return makeVisible(`${actor}${name}${way}${what}${words === '' ? '' : ` ${words}`}`);
}

const wordsOf: Readonly<Record<string, (detail: Detail) => string>> = {
  'run.start': (detail) => `${commandOf(detail)}; let by ${letBy(detail)}`,
  'run.held': (detail) => `${commandOf(detail)}; waits for approval ${textOf(detail['approval'])}`,
  'run.denied': (detail) => `${commandOf(detail)}; denied by ${textOf(detail['rule'])}`,
  'run.unstarted': (detail) => `${commandOf(detail)}; not started: ${textOf(detail['why'])}`,
  'approval.decide': (detail) => {
    const { decision, run_id: runId, asked_by: askedBy, reason, programs } = detail;
    const said = reason === undefined ? '' : ` "${textOf(reason)}"`;
    const rules = programs === undefined ? '' : `; from then on unasked: ${textOf(programs)}`;
    const asked = askedBy === undefined ? '' : `, asked by ${textOf(askedBy)}`;
    return `${textOf(decision)}${said}: ${commandOf(detail)} (run ${textOf(runId)}${asked})${rules}`;
  },
  'approval.changed': (detail) => {
    const { changed, decided_by: decidedBy, asked_again_as: askedAgainAs } = detail;
    const next = askedAgainAs === undefined ? '' : `; asked again as ${textOf(askedAgainAs)}`;
    return `${textOf(changed)}, not started although ${textOf(decidedBy)} allowed it: ${commandOf(detail)}${next}`;
  },
  'rule.revoke': ({ program, made_by: madeBy, made_at: madeAt }) =>
    `${textOf(program)} is asked about again (allowed by ${textOf(madeBy)} at ${textOf(madeAt)})`,
};

function commandOf({ command, host }: Detail): string {
  const where = host === undefined || host === localHost ? '' : ` on ${textOf(host)}`;
  // Older entries have none; of a person's own runs a token sees none.
  return typeof command === 'string' ? `$ ${command}${where}` : `(command not shown)${where}`;
}

function letBy({ allowed_by: allowedBy, approval, decided_by: decidedBy, rules }: Detail): string {
  if (approval !== undefined) return `approval ${textOf(approval)} of ${textOf(decidedBy)}`;
  const ids = rules === undefined ? '' : ` (rule ${textOf(rules)})`;
  return `${textOf(allowedBy ?? 'the policy')}${ids}`;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '?');
}

function otherWords(detail: Detail): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(' ');
}

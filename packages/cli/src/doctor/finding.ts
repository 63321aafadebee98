/*
 * What `clf doctor` finds, and how it is shown: one line per check, and under it
 * what to do when something is to be done.
 */
import type { Paint } from '../render/paint.ts';
import type { Json } from '../render/run-json.ts';
import { makeVisible } from '../render/visible-text.ts';

/* `fail`: something will not work. `warn`: something may surprise. `info`: good to know. */
export type FindingStatus = 'ok' | 'info' | 'warn' | 'fail';

export interface Finding {
  /* Stable, for programs: `node-version`, `state-dir`, … */
  readonly check: string;
  readonly status: FindingStatus;
  readonly summary: string;
  readonly advice?: string;
}

const marks: Readonly<Record<FindingStatus, string>> = {
  ok: 'ok  ',
  info: 'info',
  warn: 'warn',
  fail: 'FAIL',
};

export function formatFindings(findings: readonly Finding[], paint: Paint): string {
  const painted: Readonly<Record<FindingStatus, (text: string) => string>> = {
    ok: paint.good,
    info: paint.dim,
    warn: paint.warn,
    fail: paint.bad,
  };
  const lines = findings.flatMap(({ check, status, summary, advice }) => [
    `${painted[status](marks[status])}  ${check}: ${makeVisible(summary)}`,
    ...(advice === undefined ? [] : [`      ${makeVisible(advice)}`]),
  ]);
  const failed = findings.filter(({ status }) => status === 'fail').length;
  const warned = findings.filter(({ status }) => status === 'warn').length;
  const verdict =
    failed > 0
      ? paint.bad(`${count(failed, 'problem')}, ${count(warned, 'warning')}.`)
      : warned > 0
        ? paint.warn(`No problems, ${count(warned, 'warning')}.`)
        : paint.good('All is well.');
  return `${[...lines, '', verdict].join('\n')}\n`;
}

export function findingsJson(findings: readonly Finding[]): Json {
  return {
    isHealthy: !hasFailed(findings),
    findings: findings.map(({ check, status, summary, advice }) => ({
      check,
      status,
      summary,
      advice: advice ?? null,
    })),
  };
}

export function hasFailed(findings: readonly Finding[]): boolean {
  return findings.some(({ status }) => status === 'fail');
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

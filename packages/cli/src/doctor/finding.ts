/*
 * What `clf doctor` finds, and how it is shown: one line per check, and under it
 * what to do when something is to be done.
 */
import type { Paint } from '../render/paint.ts';
import type { Json } from '../render/run-json.ts';
import { makeVisible, wrapWords } from '@clawdfather/tools/text';

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

/* As wide as a mark and its gap. */
const indent = ' '.repeat(6);

export interface FindingsLayout {
  readonly paint: Paint;
  /* Undefined: no limit. */
  readonly columnsMax: number | undefined;
}

export function formatFindings(
  findings: readonly Finding[],
  { paint, columnsMax = Number.POSITIVE_INFINITY }: FindingsLayout,
): string {
  const painted: Readonly<Record<FindingStatus, (text: string) => string>> = {
    ok: paint.good,
    info: paint.dim,
    warn: paint.warn,
    fail: paint.bad,
  };
  const wrap = (text: string): string[] => wrapWords(makeVisible(text), columnsMax - indent.length);
  const lines = findings.flatMap(({ check, status, summary, advice }) => {
    const [first = '', ...rest] = wrap(`${check}: ${summary}`);
    const below = advice === undefined ? rest : [...rest, ...wrap(advice)];
    return [`${painted[status](marks[status])}  ${first}`, ...below.map((line) => indent + line)];
  });
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

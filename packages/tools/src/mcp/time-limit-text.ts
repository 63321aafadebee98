/*
 * The time limits of a living run in words: how long it may take, and when that is over.
 */
import type { ToldTimeLimit } from '../exec/time-limit-of.ts';

/* Sentences; none where the limits are not known. */
export function timeLimitLines(limits: ToldTimeLimit): string[] {
  const { timeoutMs, noOutputTimeoutMs } = limits;
  if (timeoutMs === undefined) return [];
  const silence =
    noOutputTimeoutMs === undefined
      ? ''
      : ` It is also ended after ${formatLimit(noOutputTimeoutMs)} without output.`;
  return [`${overallText(limits, timeoutMs)}${silence}`];
}

/* For a line of a list. */
export function shortTimeLimit({ timeoutMs, timeoutAt }: ToldTimeLimit): string {
  if (timeoutMs === undefined) return '';
  if (timeoutMs === null) return ', no time limit';
  return timeoutAt === undefined
    ? `, time limit ${formatLimit(timeoutMs)}`
    : `, until ${timeoutAt}`;
}

function overallText({ timeoutAt }: ToldTimeLimit, timeoutMs: number | null): string {
  if (timeoutMs === null) return 'No time limit.';
  const when = timeoutAt === undefined ? ' from its start' : `, ends at ${timeoutAt}`;
  return `Time limit: ${formatLimit(timeoutMs)}${when}.`;
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;

/* Exact, as the settings write it: 30m, 1h30m, 90ms. */
export function formatLimit(ms: number): string {
  let left = Math.round(ms);
  let text = '';
  for (const [unit, unitMs] of units) {
    const count = Math.floor(left / unitMs);
    left -= count * unitMs;
    if (count > 0) text += `${count}${unit}`;
  }
  return text === '' ? '0s' : text;
}

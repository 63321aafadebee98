/*
 * Values of flags, from text to what the supervisor takes. Each one says what
 * it would have liked to see, since the person who typed it is still there.
 */
import { constants } from 'node:os';
import { usageError } from '../errors.ts';
import { suggestNearest } from './suggest.ts';

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/* The shim's clock counts u64 milliseconds; ours are safe integers. Far beyond any use of it. */
const durationMsMax = 10 * 365 * 86_400_000;
/* The supervisor's own bound: a longer one is a deadline. */
const graceMsMax = 3_600_000;

/* `1m30s`, `500ms`, `2.5h`; a bare number is seconds, as with timeout(1). */
export function parseDurationMs(flag: string, text: string): number {
  const wanted = usageError(
    `${flag} is not a duration: "${text}"`,
    'Write it like 500ms, 30s, 1m30s or 2h; a bare number is seconds.',
  );
  if (/^\d+(\.\d+)?$/.test(text)) return checkedDuration(Number(text) * 1_000, wanted);
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) throw wanted;
  let totalMs = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    totalMs += Number(amount) * (unitMs[unit ?? ''] ?? 0);
  }
  return checkedDuration(totalMs, wanted);
}

/* As above; `none` and 0 are no limit. */
export function parseLimitMs(flag: string, text: string): number | undefined {
  if (text === 'none') return undefined;
  const limitMs = parseDurationMs(flag, text);
  return limitMs === 0 ? undefined : limitMs;
}

/* From SIGTERM to SIGKILL. The supervisor takes one millisecond or more; 0 becomes one. */
export function parseGrace(flag: string, text: string): number {
  const graceMs = parseDurationMs(flag, text);
  if (graceMs > graceMsMax) throw usageError(`${flag} is longer than an hour: "${text}"`);
  return Math.max(1, graceMs);
}

function checkedDuration(ms: number, wanted: Error): number {
  const rounded = Math.round(ms);
  if (rounded > durationMsMax) throw wanted;
  return rounded;
}

/* Rounding would limit to something else than was asked for. */
export function parseWholeSeconds(flag: string, text: string): number {
  const seconds = parseDurationMs(flag, text) / 1_000;
  if (seconds >= 1 && Number.isInteger(seconds)) return seconds;
  throw usageError(
    `${flag} is not a whole number of seconds, 1 or more: "${text}"`,
    'The kernel counts whole seconds here: 1s, 90s, 2m.',
  );
}

const unitBytes: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

/* `512M`, `1.5G`, `4096`; powers of two. */
export function parseBytes(flag: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([kmg]?)(?:i?b)?$/i.exec(text);
  const bytes = Math.round(
    Number(match?.[1]) * (unitBytes[(match?.[2] ?? '').toLowerCase()] ?? Number.NaN),
  );
  if (match !== null && Number.isSafeInteger(bytes)) return bytes;
  throw usageError(`${flag} is not a size: "${text}"`, 'Write it like 4096, 64K, 512M or 2G.');
}

export function parseSomeBytes(flag: string, text: string): number {
  const bytes = parseBytes(flag, text);
  if (bytes > 0) return bytes;
  throw usageError(`${flag} must be more than 0: "${text}"`, 'Without a limit: leave it out.');
}

export function parseInteger(
  flag: string,
  text: string,
  range: { readonly min: number; readonly max: number },
): number {
  const value = Number(text);
  if (/^-?\d+$/.test(text) && value >= range.min && value <= range.max) return value;
  throw usageError(
    `${flag} is not a whole number between ${range.min} and ${range.max}: "${text}"`,
  );
}

export function parseChoice<Choice extends string>(
  flag: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((one) => one === text);
  if (choice !== undefined) return choice;
  const nearest = suggestNearest(text, choices);
  throw usageError(
    `${flag} is not one of ${choices.join(', ')}: "${text}"`,
    nearest === undefined ? undefined : `Did you mean ${nearest}?`,
  );
}

/* `TERM`, `SIGTERM`, `sigterm`, `15`. */
export function parseSignal(flag: string, text: string): NodeJS.Signals {
  const names = Object.keys(constants.signals) as NodeJS.Signals[];
  const upper = text.toUpperCase();
  const byName = names.find((name) => name === upper || name === `SIG${upper}`);
  if (byName !== undefined) return byName;
  const byNumber = names.find((name) => String(constants.signals[name]) === text);
  if (byNumber !== undefined) return byNumber;
  const nearest = suggestNearest(
    upper,
    names.map((name) => name.slice(3)),
  );
  throw usageError(
    `${flag} is not a signal: "${text}"`,
    nearest === undefined ? 'Write it like TERM, INT, KILL or 15.' : `Did you mean ${nearest}?`,
  );
}

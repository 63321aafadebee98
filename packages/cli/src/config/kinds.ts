/*
 * The kinds of values that settings have: from the text of a flag or a variable, from
 * JSON, back to what a person would write, and as a piece of JSON schema.
 *
 * The parsers are those of the flags, so that `--grace 5s`, CLAWDFATHER_RUN_GRACE=5s
 * and {"run": {"grace": "5s"}} cannot mean different things. No schema library here:
 * every command reads its settings, and loading zod takes as long as most commands.
 */
import { isAbsolute } from 'node:path';
import type { TextKind } from '../args/kinds.ts';
import * as texts from '../args/kinds.ts';
import { usageError } from '../errors.ts';
import type { Json } from '../render/run-json.ts';

export interface Kind<Value> extends TextKind<Value> {
  /* Throws a usage error whose message begins with the label. */
  readonly fromJson: (label: string, json: unknown) => Value;
  /* As it could be written into the file. */
  readonly toJson: (value: Value) => Json;
  /* As `clf config` shows it, where something in it is not for everybody's eyes. Default: `toJson`. */
  readonly toShown?: (value: Value) => Json;
  readonly schema: Readonly<Record<string, Json>>;
  /* Kept as written until it is known whose home ~ is (resolve.ts). Absent or true. */
  readonly isPath?: true;
  /* An object in the file; any other kind is given none. Absent or true. */
  readonly isObject?: true;
}

const durationPattern = '^(\\d+(\\.\\d+)?(ms|s|m|h|d))+$|^\\d+(\\.\\d+)?$';

const units: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
];

/* Exactly, unlike what tables show: 90061000 is 1d1h1m1s. */
export function formatExactDuration(ms: number): string {
  let rest = ms;
  let text = '';
  for (const [unit, unitMs] of units) {
    const count = Math.floor(rest / unitMs);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * unitMs;
  }
  return text === '' ? '0s' : text;
}

function formatExactBytes(bytes: number): string {
  for (const [unit, size] of [
    ['G', 2 ** 30],
    ['M', 2 ** 20],
    ['K', 2 ** 10],
  ] as const) {
    if (bytes > 0 && bytes % size === 0) return `${bytes / size}${unit}`;
  }
  return String(bytes);
}

/* A JSON string or number, as the text that a flag would have been. */
function textOf(label: string, json: unknown, wanted: string): string {
  if (typeof json === 'string') return json;
  if (typeof json === 'number') return String(json);
  throw usageError(`${label} is not ${wanted}: ${JSON.stringify(json)}`);
}

export const duration: Kind<number> = {
  ...texts.duration,
  fromJson: (label, json) => texts.duration.fromText(label, textOf(label, json, 'a duration')),
  toJson: formatExactDuration,
  schema: { type: ['string', 'number'], pattern: durationPattern, minimum: 0 },
};

/* `none` and 0 are no limit. */
export const limit: Kind<number | undefined> = {
  ...texts.timeLimit,
  fromJson: (label, json) =>
    texts.timeLimit.fromText(label, textOf(label, json, 'a duration or none')),
  toJson: (value) => (value === undefined ? 'none' : formatExactDuration(value)),
  schema: { type: ['string', 'number'], pattern: `${durationPattern}|^none$`, minimum: 0 },
};

export const grace: Kind<number> = {
  ...duration,
  ...texts.grace,
  fromJson: (label, json) => texts.grace.fromText(label, textOf(label, json, 'a duration')),
};

export const bytes: Kind<number> = {
  ...texts.bytes,
  fromJson: (label, json) => texts.bytes.fromText(label, textOf(label, json, 'a size')),
  toJson: formatExactBytes,
  schema: {
    type: ['string', 'integer'],
    pattern: '^\\d+(\\.\\d+)?\\s*[kmgKMG]?([iI]?[bB])?$',
    minimum: 0,
  },
};

export function durationWithin(range: {
  readonly min: number;
  readonly max: number;
}): Kind<number> {
  const check = (label: string, ms: number): number => {
    if (ms >= range.min && ms <= range.max) return ms;
    const [min, max] = [formatExactDuration(range.min), formatExactDuration(range.max)];
    throw usageError(`${label} is not between ${min} and ${max}: ${formatExactDuration(ms)}`);
  };
  return {
    ...duration,
    fromText: (label, text) => check(label, duration.fromText(label, text)),
    fromJson: (label, json) => check(label, duration.fromJson(label, json)),
  };
}

export function integer(range: { readonly min: number; readonly max: number }): Kind<number> {
  const kind = texts.integer(range);
  return {
    ...kind,
    fromJson: (label, json) => {
      if (typeof json === 'number') return kind.fromText(label, String(json));
      throw usageError(`${label} is not a number: ${JSON.stringify(json)}`);
    },
    toJson: (value) => value,
    schema: { type: 'integer', minimum: range.min, maximum: range.max },
  };
}

export function choice<const Choice extends string>(choices: readonly Choice[]): Kind<Choice> {
  const kind = texts.choice(choices);
  return {
    ...kind,
    fromJson: (label, json) => kind.fromText(label, textOf(label, json, 'a word')),
    toJson: (value) => value,
    schema: { type: 'string', enum: choices },
  };
}

const absoluteHint = 'Begin with / or ~/: a relative path would depend on where clf is called.';

function checkPath(label: string, json: unknown): string {
  if (typeof json !== 'string' || json === '' || json.includes('\0')) {
    throw usageError(`${label} is not a path: ${JSON.stringify(json)}`);
  }
  if (!isAbsolute(json) && !json.startsWith('~/')) {
    throw usageError(`${label} is not an absolute path: ${JSON.stringify(json)}`, absoluteHint);
  }
  return json;
}

const pathSchema = { type: 'string', pattern: '^(/|~/)' } as const;

/* In the file; a flag or a variable may be relative to where it was typed, and is made whole there. */
export const path: Kind<string> = {
  placeholder: 'PATH',
  completes: 'files',
  fromText: (label, text) => {
    if (text === '' || text.includes('\0')) throw usageError(`${label} is empty`);
    return text;
  },
  fromJson: checkPath,
  toJson: (value) => value,
  schema: pathSchema,
  isPath: true,
};

/* A list of words in the file; with commas between in a variable. */
export function choices<Word extends string>(words: readonly Word[]): Kind<readonly Word[]> {
  const one = choice(words);
  return {
    placeholder: 'WORD,…',
    fromText: (label, text) =>
      text
        .split(',')
        .filter((word) => word !== '')
        .map((word) => one.fromText(label, word)),
    fromJson: (label, json) => {
      if (Array.isArray(json)) return json.map((word: unknown) => one.fromJson(label, word));
      throw usageError(`${label} is not a list of words: ${JSON.stringify(json)}`);
    },
    toJson: (value) => value,
    schema: { type: 'array', items: { enum: words } },
  };
}

/* A list in the file; with colons between, as in PATH, in a variable. */
export const paths: Kind<readonly string[]> = {
  placeholder: 'PATH:…',
  fromText: (label, text) =>
    text
      .split(':')
      .filter((one) => one !== '')
      .map((one) => checkPath(label, one)),
  fromJson: (label, json) => {
    if (Array.isArray(json)) return json.map((one) => checkPath(label, one));
    throw usageError(`${label} is not a list of paths: ${JSON.stringify(json)}`);
  },
  toJson: (value) => value,
  schema: { type: 'array', items: pathSchema },
  isPath: true,
};

/* A control key by the name of its character: Ctrl-], Ctrl-A; or none. Not Esc, Tab, newline and Enter: [, I, J, M. */
const keyPattern = /^ctrl-([a-hkln-z@\]\\^_])$/i;

export const controlKey: Kind<string> = {
  placeholder: 'KEY',
  fromText: checkKey,
  fromJson: checkKey,
  toJson: (value) => value,
  schema: { type: 'string', pattern: '^[Cc][Tt][Rr][Ll]-[A-HKLN-Za-hkln-z@\\]\\\\^_]$|^none$' },
};

function checkKey(label: string, json: unknown): string {
  const match = typeof json === 'string' ? keyPattern.exec(json) : null;
  if (json === 'none') return json;
  if (match?.[1] !== undefined) return `Ctrl-${match[1].toUpperCase()}`;
  throw usageError(
    `${label} is not a key: ${JSON.stringify(json)}`,
    'Write it like Ctrl-] or Ctrl-A, or none for no detach key.',
  );
}

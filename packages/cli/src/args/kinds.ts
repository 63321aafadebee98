/*
 * The kinds of values that flags and operands have. A kind reads the text, gives the value its name in help,
 * and tells completion where candidates come from. The kinds of settings (config/kinds.ts) are built on these,
 * so that a flag and the setting that it decides cannot read the same text differently.
 */
import { constants } from 'node:os';
import { usageError } from '../errors.ts';
import {
  parseBytes,
  parseChoice,
  parseDurationMs,
  parseGrace,
  parseInteger,
  parseLimitMs,
  parseSignal,
  parseSomeBytes,
  parseWholeSeconds,
} from './values.ts';

/* Where completion finds values; a list has all the words there are, or the usual ones. */
export type Completes =
  | 'runs'
  | 'living-runs'
  | 'approvals'
  | 'rules'
  | 'hosts'
  | 'keys'
  | 'sessions'
  | 'threads'
  | 'queued-turns'
  | 'agents'
  | 'gateways'
  | 'commands'
  | 'settings'
  | 'files'
  | 'directories'
  /* This word and all that follow are the command line of another program. */
  | 'program'
  | readonly string[];

export interface TextKind<Value> {
  /* What help calls a value: TIME, SIZE, keep|end|fail. */
  readonly placeholder: string;
  /* The same of an operand that takes several words, where `RUN …` does not say it. */
  readonly listPlaceholder?: string;
  readonly completes?: Completes;
  /* Throws a usage error whose message begins with the label: `--grace`. */
  readonly fromText: (label: string, text: string) => Value;
}

/* Any text. What it means is decided where it is used. */
export function text(placeholder: string, completes: Completes = []): TextKind<string> {
  return { placeholder, completes, fromText: (_label, typed) => typed };
}

/* In milliseconds. */
export const duration: TextKind<number> = { placeholder: 'TIME', fromText: parseDurationMs };

/* In milliseconds. `none` and 0 are no limit. */
export const timeLimit: TextKind<number | undefined> = {
  placeholder: 'TIME',
  fromText: parseLimitMs,
};

/* In milliseconds, from SIGTERM to SIGKILL. */
export const grace: TextKind<number> = { placeholder: 'TIME', fromText: parseGrace };

export const bytes: TextKind<number> = { placeholder: 'SIZE', fromText: parseBytes };

/* Of something that cannot be without any. */
export const someBytes: TextKind<number> = { placeholder: 'SIZE', fromText: parseSomeBytes };

/* In seconds, of which the kernel counts only whole ones. */
export const wholeSeconds: TextKind<number> = { placeholder: 'TIME', fromText: parseWholeSeconds };

export function integer(range: { readonly min: number; readonly max: number }): TextKind<number> {
  return { placeholder: 'N', fromText: (label, typed) => parseInteger(label, typed, range) };
}

export function choice<const Choice extends string>(choices: readonly Choice[]): TextKind<Choice> {
  return {
    placeholder: choices.join('|'),
    completes: choices,
    fromText: (label, typed) => parseChoice(label, typed, choices),
  };
}

/* Several of a list, with commas between; each one counts once. */
export function choices<const Choice extends string>(
  placeholder: string,
  all: readonly Choice[],
): TextKind<readonly Choice[]> {
  return {
    placeholder: `${placeholder},…`,
    completes: all,
    fromText: (label, typed) => [
      ...new Set(typed.split(',').map((one) => parseChoice(label, one.trim(), all))),
    ],
  };
}

export const signal: TextKind<NodeJS.Signals> = {
  placeholder: 'SIGNAL',
  completes: Object.keys(constants.signals).map((name) => name.slice('SIG'.length)),
  fromText: parseSignal,
};

export const file: TextKind<string> = text('FILE', 'files');
export const directory: TextKind<string> = text('DIR', 'directories');

export interface Pair {
  readonly name: string;
  readonly value: string;
}

export const pair: TextKind<Pair> = {
  placeholder: 'K=V',
  fromText: (label, typed) => {
    const { name, value } = splitPair(label, typed);
    if (value === undefined) throw notPair(label, typed);
    return { name, value };
  },
};

/* `K=V`, or `K` alone, whose value is taken from the caller's environment. */
export interface EnvAssignment {
  readonly name: string;
  readonly value: string | undefined;
}

export const envAssignment: TextKind<EnvAssignment> = { placeholder: 'K=V', fromText: splitPair };

/* Later ones win. As with docker, a bare name that is not set here is not set there. */
export function assignedEnv(
  assignments: readonly EnvAssignment[],
  callerEnv: Readonly<Record<string, string>>,
): Record<string, string> {
  const assigned: Record<string, string> = {};
  for (const { name, value = callerEnv[name] } of assignments) {
    if (value !== undefined) assigned[name] = value;
  }
  return assigned;
}

/* Names alone that are not set here: nothing is passed on for them. */
export function unsetNames(
  assignments: readonly EnvAssignment[],
  callerEnv: Readonly<Record<string, string>>,
): readonly string[] {
  const unset = assignments.filter(
    ({ name, value }) => value === undefined && callerEnv[name] === undefined,
  );
  return [...new Set(unset.map(({ name }) => name))];
}

function splitPair(label: string, typed: string): EnvAssignment {
  const equals = typed.indexOf('=');
  const name = equals === -1 ? typed : typed.slice(0, equals);
  if (name === '' || typed.includes('\0')) throw notPair(label, typed);
  return { name, value: equals === -1 ? undefined : typed.slice(equals + 1) };
}

function notPair(label: string, typed: string): Error {
  return usageError(`${label} is not NAME=VALUE: "${typed}"`);
}

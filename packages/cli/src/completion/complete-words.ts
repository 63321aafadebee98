/*
 * What may stand at the end of an unfinished command line, from the command table.
 *
 * Pure, and the same for every shell: the scripts only hand the words over and show
 * what comes back. What needs a look at the disk (runs, files) is named, not looked up.
 */
import { constants } from 'node:os';
import {
  type CommandSpec,
  commonFlags,
  type FlagSpec,
  isActionOf,
  type OperandKind,
} from '../args/spec.ts';
import { settingKeys, settingOf } from '../config/settings.ts';

export interface Candidate {
  readonly value: string;
  readonly summary: string;
}

export type Completion =
  | { readonly kind: 'words'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'runs'; readonly isAliveOnly: boolean }
  | { readonly kind: 'approvals' }
  | { readonly kind: 'files' }
  | { readonly kind: 'directories' }
  /* The words from this one on are the command line of another program. */
  | { readonly kind: 'program'; readonly from: number };

export interface Completed {
  readonly completion: Completion;
  /* In front of every candidate: `--leftovers=`. */
  readonly prefix: string;
  /* Common flags that were typed and decide where to look. */
  readonly stateDir: string | undefined;
  readonly config: string | undefined;
}

interface Walk {
  readonly spec: CommandSpec | undefined;
  /* The first word of a command that has two, when the second has not come yet. */
  readonly family: string | undefined;
  readonly operands: number;
  /* The index of the first operand. */
  readonly firstOperand: number | undefined;
  /* The flag whose value the last word is. */
  readonly pending: FlagSpec | undefined;
  readonly isFlagsOver: boolean;
  readonly values: ReadonlyMap<string, string>;
}

const nothing: Completion = { kind: 'words', candidates: [] };

/* `words` without the program's own name; the last one is being typed, and may be empty. */
export function completeWords(words: readonly string[], specs: readonly CommandSpec[]): Completed {
  const current = words.at(-1) ?? '';
  const walk = walkWords(words.slice(0, -1), specs);
  const place = { stateDir: walk.values.get('state-dir'), config: walk.values.get('config') };
  const equals = current.indexOf('=');
  if (walk.pending === undefined && !walk.isFlagsOver && current.startsWith('--') && equals > 0) {
    const flag = flagsOf(walk.spec).find(({ name }) => `--${name}` === current.slice(0, equals));
    const completion = flag?.value === undefined ? nothing : valuesOf(flag);
    return { completion, prefix: current.slice(0, equals + 1), ...place };
  }
  return { completion: completionFor(walk, current, { specs, words }), prefix: '', ...place };
}

function completionFor(
  walk: Walk,
  current: string,
  { specs, words }: { readonly specs: readonly CommandSpec[]; readonly words: readonly string[] },
): Completion {
  if (walk.pending !== undefined) return valuesOf(walk.pending);
  const isProgram = walk.spec?.operandKinds?.[0] === 'program';
  if (isProgram && walk.firstOperand !== undefined) {
    return { kind: 'program', from: walk.firstOperand };
  }
  if (!walk.isFlagsOver && current.startsWith('-')) {
    return { kind: 'words', candidates: flagsOf(walk.spec).map(flagCandidate) };
  }
  if (walk.spec === undefined) {
    const isUnknownAction = walk.family !== undefined && walk.isFlagsOver;
    return isUnknownAction ? nothing : commandsOf(specs, walk.family);
  }
  const { max } = walk.spec.operands;
  if (max !== undefined && walk.operands >= max) return nothing;
  const kinds = walk.spec.operandKinds ?? [];
  const kind = kinds[walk.operands] ?? kinds.at(-1);
  return kind === undefined ? nothing : operandsOf(kind, specs, words.length - 1);
}

/* Reads what is finished of the line as parseArgs would, and complains of nothing. */
function walkWords(words: readonly string[], specs: readonly CommandSpec[]): Walk {
  let spec: CommandSpec | undefined;
  let family: string | undefined;
  let operands = 0;
  let firstOperand: number | undefined;
  let pending: FlagSpec | undefined;
  let isFlagsOver = false;
  const values = new Map<string, string>();
  for (const [index, word] of words.entries()) {
    if (pending !== undefined) {
      values.set(pending.name, word);
      pending = undefined;
    } else if (isFlagsOver || word === '-' || !word.startsWith('-')) {
      if (spec === undefined) {
        const typed = family === undefined ? word : `${family} ${word}`;
        spec = specs.find(({ name }) => name === typed);
        if (spec !== undefined) continue;
        const isFamily = family === undefined && specs.some(({ name }) => isActionOf(name, word));
        if (isFamily) family = word;
        // A command that is not known: nothing can be said of the rest.
        else isFlagsOver = true;
        continue;
      }
      operands += 1;
      firstOperand ??= index;
      isFlagsOver ||= spec.endsFlagsAtOperand === true;
    } else if (word === '--') {
      isFlagsOver = true;
    } else {
      const [name, value] = splitFlag(word);
      const flag = flagsOf(spec).find((one) => isNamed(one, name));
      if (flag?.value === undefined) continue;
      if (value === undefined) pending = flag;
      else values.set(flag.name, value);
    }
  }
  return { spec, family, operands, firstOperand, pending, isFlagsOver, values };
}

function splitFlag(word: string): readonly [string, string | undefined] {
  const equals = word.indexOf('=');
  return equals === -1 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)];
}

/* In a cluster of letters only the last can want a value. */
function isNamed(flag: FlagSpec, typed: string): boolean {
  if (typed.startsWith('--')) return typed === `--${flag.name}`;
  return flag.short !== undefined && typed.endsWith(flag.short);
}

function flagsOf(spec: CommandSpec | undefined): readonly FlagSpec[] {
  return [...(spec?.flags ?? []), ...commonFlags];
}

function flagCandidate({ name, summary }: FlagSpec): Candidate {
  return { value: `--${name}`, summary };
}

/* First words; or, of a family, second ones. */
function commandsOf(specs: readonly CommandSpec[], family?: string): Completion {
  if (family !== undefined) {
    const actions = specs.filter(({ name }) => isActionOf(name, family));
    const candidates = actions.map(({ name, summary }) => ({
      value: name.slice(family.length + 1),
      summary,
    }));
    return { kind: 'words', candidates };
  }
  const firsts = new Map<string, Candidate>();
  for (const { name, summary } of specs) {
    const value = name.split(' ')[0] ?? name;
    if (!firsts.has(value)) firsts.set(value, { value, summary });
  }
  return { kind: 'words', candidates: [...firsts.values()] };
}

function valuesOf({ value = '', suggestions }: FlagSpec): Completion {
  if (suggestions !== undefined) return plainWords(suggestions);
  if (value.includes('|')) return plainWords(value.split('|'));
  switch (value) {
    case 'DIR':
      return { kind: 'directories' };
    case 'FILE':
      return { kind: 'files' };
    case 'SIGNAL':
      return plainWords(Object.keys(constants.signals).map((name) => name.slice('SIG'.length)));
    default:
      return nothing;
  }
}

function operandsOf(kind: OperandKind, specs: readonly CommandSpec[], index: number): Completion {
  if (typeof kind !== 'string') return plainWords(kind);
  switch (kind) {
    case 'run':
      return { kind: 'runs', isAliveOnly: false };
    case 'living-run':
      return { kind: 'runs', isAliveOnly: true };
    case 'approval':
      return { kind: 'approvals' };
    case 'command':
      return commandsOf(specs);
    case 'setting':
      return {
        kind: 'words',
        candidates: settingKeys.map((key) => ({ value: key, summary: settingOf(key).summary })),
      };
    case 'file':
      return { kind: 'files' };
    case 'program':
      return { kind: 'program', from: index };
  }
}

function plainWords(values: readonly string[]): Completion {
  return { kind: 'words', candidates: values.map((value) => ({ value, summary: '' })) };
}

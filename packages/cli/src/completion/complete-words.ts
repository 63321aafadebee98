/*
 * What may stand at the end of an unfinished command line, from the command table.
 *
 * Pure, and the same for every shell: the scripts only hand the words over and show
 * what comes back. What needs a look at the disk (runs, files) is named, not looked up.
 */
import type { NamedFlag } from '../args/flag.ts';
import type { Completes } from '../args/kinds.ts';
import { allFlags, type CommandSpec, isActionOf } from '../args/spec.ts';
import { settingKeys, settingOf } from '../config/settings.ts';

export interface Candidate {
  readonly value: string;
  readonly summary: string;
}

export type Completion =
  | { readonly kind: 'words'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'runs'; readonly isAliveOnly: boolean }
  | { readonly kind: 'approvals' }
  | { readonly kind: 'rules' }
  | { readonly kind: 'hosts' | 'keys' | 'sessions' | 'threads' | 'queued-turns' | 'agents' }
  | { readonly kind: 'gateways' }
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
  readonly gateway: string | undefined;
  /* That the runs are to be on. */
  readonly host: string | undefined;
  /* The command can be about a gateway. */
  readonly takesGateway: boolean;
}

interface Walk {
  readonly spec: CommandSpec | undefined;
  /* The first word of a command that has two, when the second has not come yet. */
  readonly family: string | undefined;
  readonly operands: number;
  /* The index of the first operand. */
  readonly firstOperand: number | undefined;
  /* The flag whose value the last word is. */
  readonly pending: NamedFlag | undefined;
  readonly isFlagsOver: boolean;
  readonly values: ReadonlyMap<string, string>;
}

const nothing: Completion = { kind: 'words', candidates: [] };

/* `words` without the program's own name; the last one is being typed, and may be empty. */
export function completeWords(words: readonly string[], specs: readonly CommandSpec[]): Completed {
  const current = words.at(-1) ?? '';
  const walk = walkWords(words.slice(0, -1), specs);
  const place = {
    stateDir: walk.values.get('stateDir'),
    config: walk.values.get('config'),
    gateway: walk.values.get('gateway'),
    host: walk.spec?.flags['host'] === undefined ? undefined : walk.values.get('host'),
    takesGateway: walk.spec?.flags['gateway'] !== undefined,
  };
  const equals = current.indexOf('=');
  if (walk.pending === undefined && !walk.isFlagsOver && current.startsWith('--') && equals > 0) {
    const flag = allFlags(walk.spec).find(({ name }) => `--${name}` === current.slice(0, equals));
    const completion = candidatesOf(flag?.kind?.completes, { specs, at: words.length - 1 });
    return { completion, prefix: current.slice(0, equals + 1), ...place };
  }
  return { completion: completionFor(walk, current, { specs, words }), prefix: '', ...place };
}

function completionFor(
  walk: Walk,
  current: string,
  { specs, words }: { readonly specs: readonly CommandSpec[]; readonly words: readonly string[] },
): Completion {
  const place = { specs, at: words.length - 1 };
  if (walk.pending !== undefined) return candidatesOf(walk.pending.kind?.completes, place);
  const operands = Object.values(walk.spec?.operands ?? {});
  if (operands[0]?.kind.completes === 'program' && walk.firstOperand !== undefined) {
    return { kind: 'program', from: walk.firstOperand };
  }
  if (!walk.isFlagsOver && current.startsWith('-')) {
    return { kind: 'words', candidates: allFlags(walk.spec).map(flagCandidate) };
  }
  if (walk.spec === undefined) {
    const isUnknownAction = walk.family !== undefined && walk.isFlagsOver;
    return isUnknownAction ? nothing : commandsOf(specs, walk.family);
  }
  const last = operands.at(-1);
  const operand = operands[walk.operands] ?? (last?.isList === true ? last : undefined);
  return candidatesOf(operand?.kind.completes, place);
}

/* Reads what is finished of the line as readWords would, and complains of nothing. */
function walkWords(words: readonly string[], specs: readonly CommandSpec[]): Walk {
  let spec: CommandSpec | undefined;
  let family: string | undefined;
  let operands = 0;
  let firstOperand: number | undefined;
  let pending: NamedFlag | undefined;
  let isFlagsOver = false;
  const values = new Map<string, string>();
  for (const [index, word] of words.entries()) {
    if (pending !== undefined) {
      values.set(pending.key, word);
      pending = undefined;
    } else if (isFlagsOver || word === '-' || !word.startsWith('-')) {
      if (spec === undefined) {
        const typed = family === undefined ? word : `${family} ${word}`;
        spec = specs.find(({ name, aliases = [] }) => name === typed || aliases.includes(typed));
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
      const flag = allFlags(spec).find((one) => isNamed(one, name));
      if (flag?.kind === undefined) continue;
      if (value === undefined) pending = flag;
      else values.set(flag.key, value);
    }
  }
  return { spec, family, operands, firstOperand, pending, isFlagsOver, values };
}

function splitFlag(word: string): readonly [string, string | undefined] {
  const equals = word.indexOf('=');
  return equals === -1 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)];
}

/* In a cluster of letters only the last can want a value. */
function isNamed(flag: NamedFlag, typed: string): boolean {
  if (typed.startsWith('--')) return typed === `--${flag.name}`;
  return flag.short !== undefined && typed.endsWith(flag.short);
}

function flagCandidate({ name, summary }: NamedFlag): Candidate {
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

interface Place {
  readonly specs: readonly CommandSpec[];
  /* The index of the word that is being typed. */
  readonly at: number;
}

function candidatesOf(completes: Completes | undefined, { specs, at }: Place): Completion {
  if (typeof completes !== 'string') return plainWords(completes ?? []);
  switch (completes) {
    case 'runs':
      return { kind: 'runs', isAliveOnly: false };
    case 'living-runs':
      return { kind: 'runs', isAliveOnly: true };
    case 'commands':
      return commandsOf(specs);
    case 'settings':
      return {
        kind: 'words',
        candidates: settingKeys.map((key) => ({ value: key, summary: settingOf(key).summary })),
      };
    case 'approvals':
    case 'rules':
    case 'hosts':
    case 'keys':
    case 'sessions':
    case 'threads':
    case 'queued-turns':
    case 'agents':
    case 'gateways':
    case 'files':
    case 'directories':
      return { kind: completes };
    case 'program':
      return { kind: 'program', from: at };
  }
}

function plainWords(values: readonly string[]): Completion {
  return { kind: 'words', candidates: values.map((value) => ({ value, summary: '' })) };
}

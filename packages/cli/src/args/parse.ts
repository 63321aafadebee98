/*
 * The command line of one command, from strings to named values.
 *
 * Own code instead of node:util's parseArgs, because `run` must stop at the
 * first operand, an unknown flag must name its nearest neighbour, and a flag
 * that is given twice by mistake must be told. The grammar is GNU's:
 * `--name value`, `--name=value`, `-n value`, `-nvalue`, `-ab`, and `--`.
 */
import { usageError } from '../errors.ts';
import { type CommandSpec, commonFlags, type FlagSpec } from './spec.ts';
import { suggestNearest } from './suggest.ts';

export interface ParsedArgs {
  has(name: string): boolean;
  /* The value of a flag that takes one. */
  value(name: string): string | undefined;
  /* All values of a repeatable flag, in order. */
  values(name: string): readonly string[];
  readonly operands: readonly string[];
}

interface Reading {
  readonly spec: CommandSpec;
  readonly flags: readonly FlagSpec[];
  readonly found: Map<string, string[]>;
}

export function parseArgs(spec: CommandSpec, argv: readonly string[]): ParsedArgs {
  const reading: Reading = { spec, flags: [...spec.flags, ...commonFlags], found: new Map() };
  const operands: string[] = [];
  let index = 0;
  while (index < argv.length) {
    const word = argv[index] ?? '';
    if (word === '--') {
      operands.push(...argv.slice(index + 1));
      break;
    }
    if (word === '-' || !word.startsWith('-')) {
      if (spec.endsFlagsAtOperand === true) {
        operands.push(...argv.slice(index));
        break;
      }
      operands.push(word);
      index += 1;
      continue;
    }
    const next = argv[index + 1];
    const isNextUsed = word.startsWith('--')
      ? readLong(reading, word, next)
      : readShort(reading, word, next);
    index += isNextUsed ? 2 : 1;
  }
  if (!reading.found.has('help')) checkOperands(spec, operands);
  return viewOf(reading.found, operands);
}

/* True when the following word was the value. */
function readLong(reading: Reading, word: string, next: string | undefined): boolean {
  const equals = word.indexOf('=');
  const name = equals === -1 ? word.slice(2) : word.slice(2, equals);
  const flag = reading.flags.find((one) => one.name === name);
  if (flag === undefined) throw unknownFlag(reading, `--${name}`);
  if (flag.value === undefined) {
    if (equals !== -1) throw usageError(`--${name} takes no value`);
    note(reading, flag, '');
    return false;
  }
  if (equals !== -1) {
    note(reading, flag, word.slice(equals + 1));
    return false;
  }
  note(reading, flag, valueAfter(reading, flag, next));
  return true;
}

function readShort(reading: Reading, word: string, next: string | undefined): boolean {
  for (let at = 1; at < word.length; at += 1) {
    const letter = word.charAt(at);
    const flag = reading.flags.find((one) => one.short === letter);
    if (flag === undefined) throw unknownFlag(reading, `-${letter}`);
    if (flag.value !== undefined) {
      const rest = word.slice(at + 1).replace(/^=/, '');
      note(reading, flag, rest === '' ? valueAfter(reading, flag, next) : rest);
      return rest === '';
    }
    note(reading, flag, '');
  }
  return false;
}

function valueAfter(reading: Reading, flag: FlagSpec, next: string | undefined): string {
  if (next !== undefined && next !== '--') return next;
  throw usageError(
    `--${flag.name} needs a value: --${flag.name} ${flag.value ?? ''}`,
    seeHelp(reading.spec),
  );
}

function note(reading: Reading, flag: FlagSpec, value: string): void {
  const before = reading.found.get(flag.name);
  if (before === undefined) {
    reading.found.set(flag.name, [value]);
    return;
  }
  if (flag.isRepeatable === true) before.push(value);
  else if (flag.value !== undefined) throw usageError(`--${flag.name} is given twice`);
}

function checkOperands(spec: CommandSpec, operands: readonly string[]): void {
  const { min, max } = spec.operands;
  if (operands.length < min) {
    throw usageError(`something is missing: clf ${spec.name} ${spec.usage}`, seeHelp(spec));
  }
  if (max !== undefined && operands.length > max) {
    const extra = operands[max] ?? '';
    throw usageError(`${spec.name} does not know what to do with "${extra}"`, seeHelp(spec));
  }
}

function unknownFlag(reading: Reading, flag: string): Error {
  const known = reading.flags.map((one) => `--${one.name}`);
  const nearest = flag.startsWith('--') ? suggestNearest(flag, known) : undefined;
  const passing =
    reading.spec.endsFlagsAtOperand === true
      ? ` Flags of the command come after it: clf ${reading.spec.name} -- command ${flag}`
      : '';
  return usageError(
    `${reading.spec.name} has no flag ${flag}`,
    nearest === undefined ? `${seeHelp(reading.spec)}${passing}` : `Did you mean ${nearest}?`,
  );
}

function seeHelp(spec: CommandSpec): string {
  return `See: clf ${spec.name} --help.`;
}

function viewOf(
  found: ReadonlyMap<string, readonly string[]>,
  operands: readonly string[],
): ParsedArgs {
  return {
    has: (name) => found.has(name),
    value: (name) => found.get(name)?.[0],
    values: (name) => found.get(name) ?? [],
    operands,
  };
}

/*
 * The words of a command line, sorted: which texts were typed for which flag, and which words are operands.
 *
 * The grammar is GNU's: `--name value`, `--name=value`, `-n value`, `-nvalue`, `-ab`, and `--`; and for a flag that allows it `-value`, as
 * in `kill -9`. Why it is our own:
 * docs/decisions/0021-commands-are-declared-once.md.
 */
import { usageError } from '../errors.ts';
import type { NamedFlag } from './flag.ts';
import { allFlags, type CommandSpec } from './spec.ts';
import { suggestNearest } from './suggest.ts';

export interface SortedWords {
  /* By the key of the flag, in the order in which they were typed. A switch that was given has an empty text. */
  readonly texts: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly string[];
}

interface Reading {
  readonly spec: CommandSpec;
  readonly flags: readonly NamedFlag[];
  readonly texts: Map<string, string[]>;
  readonly operands: string[];
}

export function readWords(spec: CommandSpec, argv: readonly string[]): SortedWords {
  const operands: string[] = [];
  const reading: Reading = { spec, flags: allFlags(spec), texts: new Map(), operands };
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
  return { texts: reading.texts, operands };
}

/* True when the following word was the value. */
function readLong(reading: Reading, word: string, next: string | undefined): boolean {
  const equals = word.indexOf('=');
  const name = equals === -1 ? word.slice(2) : word.slice(2, equals);
  const flag = reading.flags.find((one) => one.name === name);
  if (flag === undefined) throw unknownFlag(reading.spec, `--${name}`);
  if (flag.kind === undefined) {
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
  const bare = reading.flags.find(({ bareValue }) => bareValue?.test(word.slice(1)) === true);
  if (bare !== undefined) {
    note(reading, bare, word.slice(1));
    return false;
  }
  for (let at = 1; at < word.length; at += 1) {
    const letter = word.charAt(at);
    const flag = reading.flags.find((one) => one.short === letter);
    if (flag === undefined) throw unknownFlag(reading.spec, `-${letter}`);
    if (flag.kind !== undefined) {
      const rest = word.slice(at + 1).replace(/^=/, '');
      note(reading, flag, rest === '' ? valueAfter(reading, flag, next) : rest);
      return rest === '';
    }
    note(reading, flag, '');
  }
  return false;
}

function valueAfter(reading: Reading, flag: NamedFlag, next: string | undefined): string {
  if (next !== undefined && next !== '--') return next;
  throw usageError(
    `--${flag.name} needs a value: --${flag.name} ${flag.kind?.placeholder ?? ''}`,
    seeHelp(reading.spec),
  );
}

function note(reading: Reading, flag: NamedFlag, text: string): void {
  const late = reading.operands[flag.operandsBeforeMax ?? Number.POSITIVE_INFINITY];
  if (late !== undefined) {
    throw usageError(
      `--${flag.name} comes before "${late}", wherever it stands, so write it there`,
      `For another order use several commands. ${seeHelp(reading.spec)}`,
    );
  }
  const before = reading.texts.get(flag.key);
  if (before === undefined) {
    reading.texts.set(flag.key, [text]);
    return;
  }
  if (flag.isRepeatable === true) before.push(text);
  else if (flag.kind !== undefined) throw usageError(`--${flag.name} is given twice`);
}

export function unknownFlag(spec: CommandSpec, flag: string): Error {
  const foreign = spec.foreignFlags?.[flag];
  if (foreign !== undefined) return usageError(`${spec.name} has no flag ${flag}`, foreign);
  const known = allFlags(spec).map((one) => `--${one.name}`);
  const nearest = flag.startsWith('--') ? suggestNearest(flag, known) : undefined;
  const passing =
    spec.endsFlagsAtOperand === true
      ? ` Flags of the command come after it: clf ${spec.name} -- command ${flag}`
      : '';
  return usageError(
    `${spec.name} has no flag ${flag}`,
    nearest === undefined ? `${seeHelp(spec)}${passing}` : `Did you mean ${nearest}?`,
  );
}

export function seeHelp(spec: Pick<CommandSpec, 'name'>): string {
  return `See: clf ${spec.name} --help.`;
}

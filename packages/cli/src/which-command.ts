/*
 * Which command a command line means. Its flags may stand before it: `clf -g home ps` is `clf ps -g home`. Whether the word after a
 * flag is the value of the flag depends on the command, so every command is tried: the one fits that knows all flags before its name.
 */
import type { NamedFlag } from './args/flag.ts';
import { seeHelp, unknownFlag } from './args/read-words.ts';
import { allFlags, type CommandSpec, isActionOf } from './args/spec.ts';
import { suggestNearest } from './args/suggest.ts';
import type { Command } from './command.ts';
import { commands, hiddenCommands } from './commands/table.ts';
import { usageError } from './errors.ts';
import { answerToWord } from './other-words.ts';

const specs = commands.map(({ spec }) => spec);

/* From every other name to the name. */
const aliases: Readonly<Record<string, string>> = Object.fromEntries(
  specs.flatMap((spec) => (spec.aliases ?? []).map((alias) => [alias, spec.name])),
);

export interface MeantCommand {
  /* The command, or what was typed in its place. */
  readonly name: string;
  /* All other words, those before it too. */
  readonly rest: readonly string[];
}

export function whichCommand(argv: readonly string[]): MeantCommand {
  const fitting = specs
    .map((spec) => ({ spec, at: placeOf(spec, argv) }))
    .filter((found): found is { spec: CommandSpec; at: number } => found.at !== undefined)
    .toSorted((left, right) => left.at - right.at);
  const [best] = fitting;
  // Without a command that fits, what works everywhere is passed over, and the next word is taken for one.
  const at = best?.at ?? flagsEnd(allFlags(undefined), argv, isNotHelp);
  const { name, words } = nameAt(argv[at] ?? 'help', argv[at + 1]);
  return { name, rest: [...argv.slice(0, at), ...argv.slice(at + words)] };
}

export function findCommand(typed: string): Command | undefined {
  const name = commandName(typed);
  return [...commands, ...hiddenCommands].find(({ spec }) => spec.name === name);
}

/* The name that a word stands for. */
export function commandName(typed: string): string {
  return aliases[typed] ?? typed;
}

export function isFamily(typed: string): boolean {
  return specs.some(({ name }) => isActionOf(name, typed));
}

/* For a command line whose command is not known. */
export function unknownCommand({ name, rest }: MeantCommand): Error {
  if (name.startsWith('-')) return misplacedFlag(name, rest);
  const answer = answerToWord(name, rest);
  if (answer !== undefined) return usageError(`there is no command "${name}"`, answer);
  const [family = ''] = name.split(' ');
  const nearest = nearestCommand(name, family);
  const page = isFamily(family) ? `clf ${family} --help` : 'clf help';
  const isSafe = specs.find((spec) => spec.name === nearest)?.isDestructive !== true;
  return usageError(
    `there is no command "${name}"`,
    nearest !== undefined && isSafe ? `Did you mean clf ${nearest}?` : `See: ${page}.`,
  );
}

/* The name of a family says nothing about what is near: only its actions are compared. */
function nearestCommand(name: string, family: string): string | undefined {
  const names = specs.map((spec) => spec.name);
  if (name === family || !isFamily(family)) return suggestNearest(name, names);
  const own = names.filter((known) => isActionOf(known, family));
  const actions = own.map((known) => known.slice(family.length + 1));
  const nearest = suggestNearest(name.slice(family.length + 1), actions);
  return nearest === undefined ? undefined : `${family} ${nearest}`;
}

/* What other programs call the flag that names another machine. */
const gatewayWords = ['--host', '--server', '--remote', '--url', '-H'];

function misplacedFlag(typed: string, rest: readonly string[]): Error {
  const [flag = ''] = typed.split('=');
  const command = rest.map(findCommand).find((found) => found !== undefined);
  if (command !== undefined) {
    const { spec } = command;
    const isGateway = gatewayWords.includes(flag) && 'gateway' in spec.flags;
    if (isGateway) {
      return usageError(
        `${spec.name} has no flag ${flag}`,
        `To name a gateway: clf ${spec.name} -g NAME|URL. ${seeHelp(spec)}`,
      );
    }
    if (!allFlags(spec).some((one) => isNamed(one, flag))) return unknownFlag(spec, flag);
    return usageError(
      `${flag} before "${spec.name}" is not understood`,
      `Write flags after the command: clf ${spec.name} ${flag} … ${seeHelp(spec)}`,
    );
  }
  const isKnown = specs.some((spec) => allFlags(spec).some((one) => isNamed(one, flag)));
  return usageError(
    isKnown ? `${flag} needs a command` : `clf has no flag ${flag}`,
    'Write: clf COMMAND [flags]. All commands: clf help. The flags of one: clf COMMAND --help.',
  );
}

/* Where its name stands, if only flags of its own come before. */
function placeOf(spec: CommandSpec, argv: readonly string[]): number | undefined {
  const at = flagsEnd(allFlags(spec), argv);
  const { name } = nameAt(argv[at] ?? '', argv[at + 1]);
  return commandName(name) === spec.name ? at : undefined;
}

/* The first word that is neither one of these flags nor the value of one. */
function flagsEnd(
  flags: readonly NamedFlag[],
  argv: readonly string[],
  isWanted: (flag: NamedFlag) => boolean = () => true,
): number {
  let at = 0;
  for (;;) {
    const word = argv[at] ?? '';
    const [name = '', value] = word.split('=', 2);
    const flag = flags.find((one) => isNamed(one, name) && isWanted(one));
    const isWhole = flag === undefined && flags.some((one) => isShortWithValue(one, word));
    if (flag === undefined && !isWhole) return at;
    at += flag?.kind === undefined || value !== undefined ? 1 : 2;
  }
}

function isNamed({ name, short }: NamedFlag, typed: string): boolean {
  return typed === `--${name}` || (short !== undefined && typed === `-${short}`);
}

/* `-ghome` */
function isShortWithValue({ short, kind }: NamedFlag, word: string): boolean {
  return short !== undefined && kind !== undefined && word.startsWith(`-${short}`);
}

/* `clf --help` alone is a command. */
function isNotHelp({ key }: NamedFlag): boolean {
  return key !== 'help';
}

/* Some commands have a second word: `token ls`. Without it, its first action is meant; an unknown one is told of later. */
function nameAt(typed: string, next = ''): { readonly name: string; readonly words: number } {
  const [first] = specs.map(({ name }) => name).filter((name) => isActionOf(name, typed));
  if (first === undefined || next === '--help' || next === '-h') return { name: typed, words: 1 };
  if (next === '' || next.startsWith('-')) return { name: first, words: 1 };
  return { name: `${typed} ${next}`, words: 2 };
}

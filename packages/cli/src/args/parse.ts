/*
 * From the words of a command line to the typed values that its command declares (flag.ts, operand.ts).
 */
import type { FlagText } from '../config/resolve.ts';
import type { SettingKey } from '../config/settings.ts';
import { usageError } from '../errors.ts';
import { type FlagTable, type FlagValues, flagName } from './flag.ts';
import type { OperandTable, OperandValues } from './operand.ts';
import { seeHelp, type SortedWords } from './read-words.ts';
import { allFlags, type CommandSpec, formatUsage } from './spec.ts';

/* What the flags of one call say about settings, and where the config file is. */
export interface CallSettings {
  /* Of --config. */
  readonly configFile: string | undefined;
  readonly settings: ReadonlyMap<SettingKey, FlagText>;
}

export interface ParsedCall<Flags extends FlagTable, Operands extends OperandTable> {
  readonly flags: FlagValues<Flags>;
  readonly operands: OperandValues<Operands>;
  readonly callSettings: CallSettings;
  readonly isJson: boolean;
}

/* Help is shown whatever else is wrong, so this is asked first. */
export function isHelpWanted({ texts }: SortedWords): boolean {
  return texts.has('help');
}

export function parseCall<Flags extends FlagTable, Operands extends OperandTable>(
  spec: CommandSpec<Flags, Operands>,
  words: SortedWords,
): ParsedCall<Flags, Operands> {
  checkCount(spec, words.operands);
  return {
    // The keys and types are those of the tables that are read here.
    flags: readFlags(spec.flags, words) as FlagValues<Flags>,
    operands: readOperands(spec.operands, words) as OperandValues<Operands>,
    callSettings: {
      configFile: words.texts.get('config')?.[0],
      settings: settingTexts(spec, words),
    },
    isJson: words.texts.has('json'),
  };
}

function readFlags(flags: FlagTable, { texts }: SortedWords): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [key, flag] of Object.entries(flags)) {
    if ('read' in flag) values[key] = flag.read(`--${flagName(key)}`, texts.get(key) ?? []);
  }
  return values;
}

function readOperands(table: OperandTable, { operands }: SortedWords): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [at, [key, one]] of Object.entries(table).entries()) {
    values[key] = one.read(operands.slice(at, one.isList ? undefined : at + 1));
  }
  return values;
}

function settingTexts(spec: CommandSpec, { texts }: SortedWords): Map<SettingKey, FlagText> {
  const found = new Map<SettingKey, FlagText>();
  for (const { key, name, setting, means } of allFlags(spec)) {
    const text = texts.get(key)?.[0];
    if (setting === undefined || text === undefined) continue;
    found.set(setting, { name: `--${name}`, text: means ?? text });
  }
  return found;
}

function checkCount(spec: CommandSpec, typed: readonly string[]): void {
  const operands = Object.values(spec.operands);
  const missing = operands.find(({ isOptional }, at) => !isOptional && typed[at] === undefined);
  if (missing !== undefined) {
    const { placeholder } = missing.kind;
    throw usageError(`${placeholder} is missing: clf ${formatUsage(spec)}`, seeHelp(spec));
  }
  const extra = operands.at(-1)?.isList === true ? undefined : typed[operands.length];
  if (extra !== undefined) {
    throw usageError(`${spec.name} does not know what to do with "${extra}"`, seeHelp(spec));
  }
}

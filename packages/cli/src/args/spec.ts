/*
 * How a command describes itself. One declaration gives its parser, its help, its completion and the type of
 * what its code receives (command.ts), so that they cannot disagree.
 */
import {
  type FlagTable,
  type NamedFlag,
  namedFlags,
  settingFlag,
  settingSwitch,
  switchFlag,
  valueFlag,
} from './flag.ts';
import { file } from './kinds.ts';
import { formatOperands, type OperandTable } from './operand.ts';

export interface CommandSpec<
  Flags extends FlagTable = FlagTable,
  Operands extends OperandTable = OperandTable,
> {
  /* One word; or two, of a family: `token ls`. The family's first is what its name alone means. */
  readonly name: string;
  readonly summary: string;
  /* What people type before they know the name; it means the same. */
  readonly aliases?: readonly string[];
  readonly flags: Flags;
  /* In the order in which they are typed. */
  readonly operands: Operands;
  /* What follows the name in help, where it cannot be told from the operands. */
  readonly usage?: string;
  /* The first operand ends the flags, as in `env` and `docker run`: the rest is another program's. */
  readonly endsFlagsAtOperand?: boolean;
  readonly examples: readonly string[];
  /* Words that the command prints, each with its meaning, for its help page. */
  readonly glossary?: readonly Glossary[];
  /* Flags that people know from elsewhere, each with what to do here: `--port`. */
  readonly foreignFlags?: Readonly<Record<string, string>>;
  /*
   * It ends, removes, replaces or revokes something. Such a command is never proposed to somebody who typed another word: who follows a
   * proposal without reading it must not lose anything. Absent or true.
   */
  readonly isDestructive?: true;
}

export interface Glossary {
  readonly title: string;
  readonly words: Readonly<Record<string, string>>;
}

export function defineCommand<Flags extends FlagTable, Operands extends OperandTable>(
  spec: CommandSpec<Flags, Operands>,
): CommandSpec<Flags, Operands> {
  return spec;
}

/* What every command understands. */
export const commonFlags = {
  json: switchFlag({ summary: 'print JSON, in the shape that docs/cli-json.md describes' }),
  noColor: settingSwitch('color', {
    means: 'never',
    summary: 'no colours, even on a terminal (like NO_COLOR)',
  }),
  stateDir: settingFlag('stateDir', {
    placeholder: 'DIR',
    completes: 'directories',
    summary: 'keep runs here instead of the XDG state directory',
  }),
  config: valueFlag(file, { summary: 'read this config file instead of the usual one' }),
  help: switchFlag({ short: 'h', summary: 'show this help' }),
};

/* A command's own flags, then those of every command. */
export function allFlags(spec: Pick<CommandSpec, 'flags'> | undefined): readonly NamedFlag[] {
  return [...namedFlags(spec?.flags ?? {}), ...namedFlags(commonFlags)];
}

/* What follows the name: `[flags] RUN …`. */
export function usageOf({ operands, usage, endsFlagsAtOperand }: CommandSpec): string {
  const flags = endsFlagsAtOperand === true ? '[flags] [--]' : '[flags]';
  return usage ?? `${flags} ${formatOperands(operands)}`.trimEnd();
}

/* What follows `clf`: `kill [flags] RUN …`. */
export function formatUsage(spec: CommandSpec): string {
  return `${spec.name} ${usageOf(spec)}`;
}

/* `token ls` is an action of `token`. */
export function isActionOf(name: string, family: string): boolean {
  return name.startsWith(`${family} `);
}

/*
 * How a command describes itself. One table of these drives parsing, help,
 * suggestions and the reference page, so that they cannot disagree.
 */
import type { SettingKey } from '../config/settings.ts';

export interface FlagSpec {
  /* Long name without dashes. */
  readonly name: string;
  readonly short?: string;
  /*
   * What the value is called in help; absent for a switch. Completion reads it too: DIR, FILE, RUN,
   * SIGNAL, and words with | between, which are all there are.
   */
  readonly value?: string;
  /* May be given several times. */
  readonly isRepeatable?: boolean;
  /* Some values that it may have, for completion. */
  readonly suggestions?: readonly string[];
  /* The setting that it decides for this call (config/settings.ts). */
  readonly setting?: SettingKey;
  /* Of a switch that decides a setting: the text that it stands for. */
  readonly means?: string;
  readonly summary: string;
}

/* What an operand is, for completion; a list is all the words there are. */
export type OperandKind =
  | 'run'
  | 'living-run'
  | 'approval'
  | 'command'
  | 'setting'
  | 'program'
  | 'file'
  | readonly string[];

export interface CommandSpec {
  /* One word; or two, of a family: `runs ls`. The family's first is what its name alone means. */
  readonly name: string;
  readonly summary: string;
  /* The line after "Usage: clf NAME". */
  readonly usage: string;
  readonly flags: readonly FlagSpec[];
  /* How many operands it takes; `max` undefined is no limit. */
  readonly operands: { readonly min: number; readonly max: number | undefined };
  /* One kind for each operand, the last one for all that follow; absent: nothing is known of them. */
  readonly operandKinds?: readonly OperandKind[];
  /* The first operand ends the flags, as in `env` and `docker run`: the rest is another program's. */
  readonly endsFlagsAtOperand?: boolean;
  readonly examples: readonly string[];
}

/* `runs ls` is an action of `runs`. */
export function isActionOf(name: string, family: string): boolean {
  return name.startsWith(`${family} `);
}

/* What every command understands. */
export const commonFlags: readonly FlagSpec[] = [
  { name: 'json', summary: 'print JSON, in the shape docs/cli-json.md promises' },
  {
    name: 'no-color',
    setting: 'color',
    means: 'never',
    summary: 'no colours, also on a terminal (as NO_COLOR does)',
  },
  {
    name: 'state-dir',
    value: 'DIR',
    setting: 'stateDir',
    summary: 'keep runs here instead of the XDG state directory',
  },
  { name: 'config', value: 'FILE', summary: 'read this config file instead of the usual one' },
  { name: 'help', short: 'h', summary: 'show this' },
];

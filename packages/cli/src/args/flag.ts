/*
 * Flags, declared with the kind of their value. The declaration is all there is: the parser, help and completion
 * read it, and FlagValues is the type of what a command's code receives.
 *
 * A command names its flags in an object. The key is what its code writes, and the name on the command line follows
 * from it: `limitCpu` is `--limit-cpu`. Flags that several commands share are such an object too, to be spread.
 *
 * A flag that decides a setting is not among the values. The code reads `config.values`, where the file and the
 * environment count as well, so that it cannot forget them.
 */
import { type SettingKey, settingOf } from '../config/settings.ts';
import { type Pair, pair, type TextKind } from './kinds.ts';

interface Described {
  readonly short?: string;
  /* Such a value may be written without the flag, after one dash: `-9`. It must not look like a letter of another flag. */
  readonly bareValue?: RegExp;
  /* So many operands may stand before it: what comes later than it is typed, sent or done later. */
  readonly operandsBeforeMax?: number;
  readonly summary: string;
}

export interface Flag<Value> extends Described {
  /* Absent: a switch, which takes no value. */
  readonly kind?: TextKind<unknown>;
  /* May be given several times. Absent or true. */
  readonly isRepeatable?: true;
  /* From the texts that were typed for it, none when it was not given. */
  readonly read: (label: string, texts: readonly string[]) => Value;
}

export interface SettingFlag extends Described {
  readonly kind?: TextKind<unknown>;
  readonly setting: SettingKey;
  /* Of a switch: the text that it stands for. */
  readonly means?: string;
}

export type FlagTable = Readonly<Record<string, Flag<unknown> | SettingFlag>>;

export type FlagValues<Flags extends FlagTable> = {
  readonly [Key in keyof Flags as Flags[Key] extends SettingFlag
    ? never
    : Key]: Flags[Key] extends Flag<infer Value> ? Value : never;
};

export function switchFlag(described: Described): Flag<boolean> {
  return { ...described, read: (_label, texts) => texts.length > 0 };
}

export function valueFlag<Value>(
  kind: TextKind<Value>,
  described: Described,
): Flag<Value | undefined> {
  return {
    ...described,
    kind,
    read: (label, [text]) => (text === undefined ? undefined : kind.fromText(label, text)),
  };
}

export function listFlag<Value>(
  kind: TextKind<Value>,
  described: Described,
): Flag<readonly Value[]> {
  return {
    ...described,
    kind,
    isRepeatable: true,
    read: (label, texts) => texts.map((text) => kind.fromText(label, text)),
  };
}

/* `K=V` several times; later ones win. */
export function pairsFlag(described: Described): Flag<Readonly<Record<string, string>>> {
  const list: Flag<readonly Pair[]> = listFlag(pair, described);
  return {
    ...list,
    read: (label, texts) =>
      Object.fromEntries(list.read(label, texts).map(({ name, value }) => [name, value])),
  };
}

/* Help and completion are those of the setting's kind, unless this flag has its own. */
export function settingFlag(
  setting: SettingKey,
  { short, summary, ...own }: Described & Partial<Omit<TextKind<unknown>, 'fromText'>>,
): SettingFlag {
  return {
    ...(short === undefined ? {} : { short }),
    summary,
    setting,
    kind: { ...settingOf(setting).kind, ...own },
  };
}

export function settingSwitch(
  setting: SettingKey,
  described: Described & { readonly means: string },
): SettingFlag {
  return { ...described, setting };
}

export interface NamedFlag extends Described {
  readonly key: string;
  /* Without the dashes. */
  readonly name: string;
  readonly kind?: TextKind<unknown>;
  readonly isRepeatable?: true;
  readonly setting?: SettingKey;
  readonly means?: string;
}

export function namedFlags(flags: FlagTable): readonly NamedFlag[] {
  return Object.entries(flags).map(([key, flag]) => ({ key, name: flagName(key), ...flag }));
}

export function flagName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/*
 * Where each value comes from: defaults < file < environment < flags.
 */
import type { CallerFacts, SettingKey, SettingValues } from './settings.ts';
import { absolutePath, settingKeys, settingOf, variableOf } from './settings.ts';
import type { FileEntry } from './parse-file.ts';

export type Origin =
  | { readonly kind: 'default' }
  | { readonly kind: 'file'; readonly path: string; readonly line: number; readonly column: number }
  | { readonly kind: 'environment'; readonly name: string }
  | { readonly kind: 'flag'; readonly name: string };

export interface FlagText {
  /* As it was typed: `--grace`. */
  readonly name: string;
  readonly text: string;
}

export interface Layers {
  readonly caller: CallerFacts;
  readonly file: { readonly path: string; readonly entries: ReadonlyMap<SettingKey, FileEntry> };
  readonly flags: ReadonlyMap<SettingKey, FlagText>;
}

export interface Resolved {
  readonly values: SettingValues;
  readonly origins: Readonly<Record<SettingKey, Origin>>;
}

export function resolveSettings(layers: Layers): Resolved {
  const values: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  for (const key of settingKeys) {
    const { value, origin } = resolveOne(key, layers);
    values[key] = settingOf(key).kind.isPath === true ? wholePath(value, layers.caller) : value;
    origins[key] = origin;
  }
  return {
    values: values as unknown as SettingValues,
    origins: origins as Record<SettingKey, Origin>,
  };
}

/* Kept as they were written until here, where it is known whose home ~ is. */
function wholePath(value: unknown, caller: CallerFacts): unknown {
  if (Array.isArray(value)) return value.map((one) => wholePath(one, caller));
  return typeof value === 'string' ? absolutePath(value, caller) : value;
}

function resolveOne(
  key: SettingKey,
  { caller, file, flags }: Layers,
): { readonly value: unknown; readonly origin: Origin } {
  const { kind, usual, foreign } = settingOf(key);
  const flag = flags.get(key);
  if (flag !== undefined) {
    const { name, text } = flag;
    return { value: kind.fromText(name, text), origin: { kind: 'flag', name } };
  }
  const variable = variableOf(key);
  const text = caller.env[variable] ?? '';
  if (text !== '') {
    return {
      value: kind.fromText(variable, text),
      origin: { kind: 'environment', name: variable },
    };
  }
  const entry = file.entries.get(key);
  const other = foreign?.(caller.env);
  // XDG_STATE_HOME moves the default; NO_COLOR is said to this very call.
  const isForeignFirst = key === 'color' || entry === undefined;
  if (other !== undefined && isForeignFirst) {
    return { value: other.value, origin: { kind: 'environment', name: other.name } };
  }
  if (entry !== undefined) {
    const { line, column } = entry;
    return { value: entry.value, origin: { kind: 'file', path: file.path, line, column } };
  }
  return { value: usual(caller), origin: { kind: 'default' } };
}

/* `default`, `config.jsonc:3`, `CLAWDFATHER_LOG`, `--state-dir`. */
export function formatOrigin(origin: Origin): string {
  switch (origin.kind) {
    case 'default':
      return 'default';
    case 'file':
      return `${origin.path}:${origin.line}`;
    case 'environment':
    case 'flag':
      return origin.name;
  }
}

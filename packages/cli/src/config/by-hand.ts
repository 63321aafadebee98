/*
 * How a setting gets into the config file: by hand, since a program that rewrites the file would lose its comments. So whoever types
 * `clf config set` is told the file and exactly what to write there.
 */
import type { Json } from '../render/run-json.ts';
import type { FileEntry } from './parse-file.ts';
import { type SettingKey, variableOf } from './settings.ts';

export interface FileNow {
  readonly path: string;
  readonly isThere: boolean;
  readonly entries: ReadonlyMap<SettingKey, FileEntry>;
}

export function formatByHand(file: FileNow, key: SettingKey, value: Json): string {
  const { path, isThere, entries } = file;
  const names = key.split('.');
  const last = names.at(-1) ?? key;
  const own = `${JSON.stringify(last)}: ${JSON.stringify(value)}`;
  const check = 'Then check it: clf config check.';
  const once = `For one call only: ${variableOf(key)}=${typeof value === 'object' ? '…' : value} clf …`;
  const line = entries.get(key)?.line;
  if (line !== undefined) return `Line ${line} of ${path} sets it. Change that to ${own}  ${check}`;
  const section = longestSection(names, entries);
  if (section.length > 0) {
    const inside = nested(names.slice(section.length, -1), own);
    return `In ${path}, inside ${JSON.stringify(section.join('.'))}, add ${inside}  ${check} ${once}`;
  }
  const whole = nested(names.slice(0, -1), own);
  return isThere
    ? `In ${path}, inside the outer { }, add ${whole}  ${check} ${once}`
    : `Create ${path} with this line: { ${whole} }  ${check} ${once}`;
}

/* The objects around the setting that the file has already. */
function longestSection(
  names: readonly string[],
  entries: ReadonlyMap<SettingKey, FileEntry>,
): readonly string[] {
  for (let length = names.length - 1; length > 0; length -= 1) {
    const section = names.slice(0, length);
    if ([...entries.keys()].some((key) => key.startsWith(`${section.join('.')}.`))) return section;
  }
  return [];
}

function nested(names: readonly string[], inner: string): string {
  return names.reduceRight((text, name) => `${JSON.stringify(name)}: { ${text} }`, inner);
}

/*
 * Which of a caller's environment additions are refused, and why. Pure; values never get into a message.
 */
import { type RefusedGroup, refusedGroups } from './refused-names.ts';

export interface EnvRefusal {
  readonly name: string;
  /* A sentence without its subject: `${name} ${why}`. */
  readonly why: string;
}

/*
 * What POSIX calls a name. The kernel takes anything, but shells read other names differently: bash makes functions of
 * some, dash drops them.
 */
const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/* All that are refused, in the order they were given; none when everything may be added. */
export function checkEnvAdditions(
  additions: Readonly<Record<string, string>>,
): readonly EnvRefusal[] {
  return Object.entries(additions).flatMap(([name, value]) => {
    const why = whyRefused(name, value);
    return why === undefined ? [] : [{ name, why }];
  });
}

function whyRefused(name: string, value: string): string | undefined {
  const group = refusedGroups.find((one) => isMember(one, name));
  if (group !== undefined && group.harmlessValues?.includes(value) !== true) return group.why;
  if (name === '') return 'is no name: it is empty';
  if (!namePattern.test(name)) return 'is no name: letters, digits and _ only';
  if (value.includes('\0')) return 'has a NUL in its value, which no environment can hold';
  return undefined;
}

function isMember(group: RefusedGroup, written: string): boolean {
  if (group.except?.includes(written) === true) return false;
  const name = group.isAnyCase === true ? written.toLowerCase() : written;
  return (
    group.names?.includes(name) === true ||
    group.prefixes?.some((prefix) => name.startsWith(prefix)) === true ||
    group.suffixes?.some((suffix) => name.endsWith(suffix)) === true
  );
}

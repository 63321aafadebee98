/*
 * Help pages, made from the command table.
 */
import { type CommandSpec, commonFlags, type FlagSpec } from './spec.ts';

/* A flag wider than this has its summary on the next line. */
const flagColumnsMax = 34;

export interface SpecGroup {
  readonly title: string;
  readonly specs: readonly CommandSpec[];
}

export function formatOverview(groups: readonly SpecGroup[]): string {
  const names = groups.flatMap(({ specs }) => specs.map(({ name }) => name.length));
  const width = Math.max(...names);
  const lines = groups.flatMap(({ title, specs }, index) => [
    ...(index === 0 ? [] : ['']),
    `${title}:`,
    ...specs.map((spec) => `  ${spec.name.padEnd(width)}  ${spec.summary}`),
  ]);
  return [
    'clawdfather (clf): commands that outlive their owner',
    '',
    'Usage: clf COMMAND [flags] …',
    '',
    ...lines,
    '',
    'A RUN is its id, any unique beginning of it, or the name it was given.',
    'More: clf COMMAND --help. First steps: clf run -- sleep 60, then clf ps.',
    '',
  ].join('\n');
}

/* Of commands with a second word: what that may be. */
export function formatFamilyHelp(family: string, specs: readonly CommandSpec[]): string {
  const width = Math.max(...specs.map(({ name }) => name.length));
  return [
    `Usage: clf ${family} ACTION [flags] …`,
    '',
    ...specs.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    `More: clf ${specs[0]?.name ?? family} --help`,
    '',
  ].join('\n');
}

export function formatCommandHelp(spec: CommandSpec): string {
  const names = [...spec.flags, ...commonFlags].map((flag) => flagName(flag).length);
  const columns = Math.min(flagColumnsMax, Math.max(...names));
  const format = (flag: FlagSpec): string => {
    const name = flagName(flag);
    const begin = name.length > columns ? `${name}\n${' '.repeat(columns)}` : name.padEnd(columns);
    return `${begin}  ${flag.summary}`;
  };
  const usage = spec.usage === '' ? `clf ${spec.name}` : `clf ${spec.name} ${spec.usage}`;
  return [
    spec.summary,
    '',
    `Usage: ${usage}`,
    '',
    ...(spec.flags.length === 0 ? [] : ['Flags:', ...spec.flags.map(format), '']),
    'Everywhere:',
    ...commonFlags.map(format),
    ...(spec.examples.length === 0
      ? []
      : ['', 'Examples:', ...spec.examples.map((line) => `  ${line}`)]),
    '',
  ].join('\n');
}

function flagName(flag: FlagSpec): string {
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `;
  const value = flag.value === undefined ? '' : ` ${flag.value}`;
  return `  ${short}--${flag.name}${value}`;
}

/*
 * Help pages, made from the declarations of the commands.
 */
import { type NamedFlag, namedFlags } from './flag.ts';
import { type CommandSpec, commonFlags, formatUsage } from './spec.ts';

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
    'clawdfather (clf): run commands that outlive the program that started them',
    '',
    'Usage: clf COMMAND [flags] …',
    '',
    ...lines,
    '',
    'RUN is the id of a run, a unique beginning of the id, or the name of the run.',
    'Help on a command: clf COMMAND --help. To begin: clf run -d -- sleep 60, then clf ps.',
    '',
  ].join('\n');
}

/* The actions of a family: `clf token --help`. */
export function formatFamilyHelp(family: string, specs: readonly CommandSpec[]): string {
  const width = Math.max(...specs.map(({ name }) => name.length));
  return [
    `Usage: clf ${family} ACTION [flags] …`,
    '',
    ...specs.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    `Help on an action: clf ${specs[0]?.name ?? family} --help`,
    '',
  ].join('\n');
}

export function formatCommandHelp(spec: CommandSpec): string {
  const own = namedFlags(spec.flags);
  const common = namedFlags(commonFlags);
  const names = [...own, ...common].map((flag) => flagColumn(flag).length);
  const columns = Math.min(flagColumnsMax, Math.max(...names));
  const format = (flag: NamedFlag): string => {
    const name = flagColumn(flag);
    const begin = name.length > columns ? `${name}\n${' '.repeat(columns)}` : name.padEnd(columns);
    return `${begin}  ${flag.summary}`;
  };
  return [
    spec.summary,
    '',
    `Usage: clf ${formatUsage(spec)}`,
    '',
    ...(own.length === 0 ? [] : ['Flags:', ...own.map(format), '']),
    'Flags of every command:',
    ...common.map(format),
    ...(spec.examples.length === 0
      ? []
      : ['', 'Examples:', ...spec.examples.map((line) => `  ${line}`)]),
    '',
  ].join('\n');
}

function flagColumn(flag: NamedFlag): string {
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `;
  const value = flag.kind === undefined ? '' : ` ${flag.kind.placeholder}`;
  return `  ${short}--${flag.name}${value}`;
}

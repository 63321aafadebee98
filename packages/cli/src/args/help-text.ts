/*
 * Help pages, made from the declarations of the commands. On a terminal they break between words, where it ends; elsewhere, and
 * without a width, nothing is broken.
 */
import { wrapWords } from '@clawdfather/tools/text';
import { type NamedFlag, namedFlags } from './flag.ts';
import { type CommandSpec, commonFlags, formatUsage } from './spec.ts';

/* A name wider than this has its summary on the next line. */
const nameColumnsMax = 34;
/* Where less than this is left beside the names, all summaries go below them. */
const summaryColumnsMin = 24;
const belowIndent = ' '.repeat(8);

export interface SpecGroup {
  readonly title: string;
  readonly specs: readonly CommandSpec[];
}

/* What a person can type one after the other. Each of them comes back by itself. */
export const firstSteps = [
  "clf run -d --name clock -- sh -c 'while date; do sleep 1; done'",
  'clf ps',
  'clf logs clock',
  'clf kill clock',
] as const;

export function formatOverview(
  groups: readonly SpecGroup[],
  columnsMax = Number.POSITIVE_INFINITY,
): string {
  const width = Math.max(...groups.flatMap(({ specs }) => specs.map(nameColumns)));
  const lines = groups.flatMap(({ title, specs }, index) => [
    ...(index === 0 ? [] : ['']),
    `${title}:`,
    ...formatEntries(specs.map(entryOf), { width, columnsMax }),
  ]);
  const wrap = (text: string): string[] => wrapWords(text, columnsMax);
  return [
    ...wrap('clawdfather (clf): run commands that outlive the program that started them'),
    '',
    'Usage: clf COMMAND [flags] …',
    '',
    ...lines,
    '',
    ...wrap('RUN is the id of a run, a unique beginning of the id, or the name of the run.'),
    ...wrap('Help on a command: clf COMMAND --help'),
    '',
    'To begin:',
    ...firstSteps.flatMap((line) => formatExample(line, columnsMax)),
    '',
  ].join('\n');
}

/* The actions of a family: `clf token --help`. */
export function formatFamilyHelp(
  family: string,
  specs: readonly CommandSpec[],
  columnsMax = Number.POSITIVE_INFINITY,
): string {
  const width = Math.max(...specs.map(nameColumns));
  return [
    `Usage: clf ${family} ACTION [flags] …`,
    '',
    ...formatEntries(specs.map(entryOf), { width, columnsMax }),
    '',
    ...wrapWords(`Help on an action: clf ${specs[0]?.name ?? family} --help`, columnsMax),
    '',
  ].join('\n');
}

export function formatCommandHelp(
  spec: CommandSpec,
  columnsMax = Number.POSITIVE_INFINITY,
): string {
  const own = namedFlags(spec.flags).map(flagEntry);
  const common = namedFlags(commonFlags).map(flagEntry);
  const names = [...own, ...common].map(({ name }) => name.length);
  const layout = { width: Math.min(nameColumnsMax, Math.max(...names)), columnsMax };
  const [usage = '', ...moreUsage] = wrapWords(`Usage: clf ${formatUsage(spec)}`, columnsMax - 7);
  return [
    ...wrapWords(spec.summary, columnsMax),
    '',
    usage,
    ...moreUsage.map((line) => `       ${line}`),
    ...formatAliases(spec),
    '',
    ...(own.length === 0 ? [] : ['Flags:', ...formatEntries(own, layout), '']),
    'Flags of every command:',
    ...formatEntries(common, layout),
    ...(spec.glossary ?? []).flatMap(({ title, words }) =>
      formatGlossary(title, words, columnsMax),
    ),
    ...(spec.examples.length === 0
      ? []
      : ['', 'Examples:', ...spec.examples.flatMap((line) => formatExample(line, columnsMax))]),
    '',
  ].join('\n');
}

function formatAliases({ aliases = [] }: CommandSpec): string[] {
  return aliases.length === 0 ? [] : [`Also: ${aliases.map((one) => `clf ${one}`).join(', ')}`];
}

function formatGlossary(
  title: string,
  words: Readonly<Record<string, string>>,
  columnsMax: number,
): string[] {
  const entries = Object.entries(words).map(([word, summary]) => ({ name: `  ${word}`, summary }));
  const width = Math.max(...entries.map(({ name }) => name.length));
  return ['', `${title}:`, ...formatEntries(entries, { width, columnsMax })];
}

interface Entry {
  /* With the blanks before it. */
  readonly name: string;
  readonly summary: string;
}

interface EntryLayout {
  readonly width: number;
  readonly columnsMax: number;
}

/* Names in one column, what they mean in the next. */
function formatEntries(entries: readonly Entry[], { width, columnsMax }: EntryLayout): string[] {
  const indent = ' '.repeat(width + 2);
  const isNarrow = columnsMax - indent.length < summaryColumnsMin;
  return entries.flatMap(({ name, summary }) => {
    const before = isNarrow ? belowIndent : indent;
    const lines = wrapWords(summary, columnsMax - before.length).map((line) => before + line);
    if (isNarrow || name.length > width) return [name, ...lines];
    const [first = '', ...rest] = lines;
    return [name.padEnd(width) + first.slice(width), ...rest];
  });
}

/* Broken so that a shell still takes it for one command: between words that are not quoted, with a backslash. */
function formatExample(example: string, columnsMax: number): string[] {
  if (example.length + 2 <= columnsMax) return [`  ${example}`];
  const words = example.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  const lines: string[] = [];
  let line = ' ';
  for (const word of words) {
    // The backslash needs its place too.
    if (line.trim() !== '' && line.length + word.length + 3 > columnsMax) {
      lines.push(`${line} \\`);
      line = '   ';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}

function entryOf({ name, summary, aliases = [] }: CommandSpec): Entry {
  const words = aliases.filter((one) => !one.startsWith('-'));
  const also = words.length === 0 ? '' : ` (also: ${words.join(', ')})`;
  return { name: `  ${name}`, summary: summary + also };
}

function nameColumns(spec: CommandSpec): number {
  return entryOf(spec).name.length;
}

function flagEntry(flag: NamedFlag): Entry {
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `;
  const value = flag.kind === undefined ? '' : ` ${flag.kind.placeholder}`;
  return { name: `  ${short}--${flag.name}${value}`, summary: flag.summary };
}

/*
 * Help pages, made from the command table.
 */
import { type CommandSpec, commonFlags, type FlagSpec } from './spec.ts';

const summaryColumn = 28;

export function formatOverview(specs: readonly CommandSpec[]): string {
  const width = Math.max(...specs.map((spec) => spec.name.length));
  const lines = specs.map((spec) => `  ${spec.name.padEnd(width)}  ${spec.summary}`);
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

export function formatCommandHelp(spec: CommandSpec): string {
  const own = spec.flags.map(formatFlag);
  const common = commonFlags.map(formatFlag);
  const usage = spec.usage === '' ? `clf ${spec.name}` : `clf ${spec.name} ${spec.usage}`;
  return [
    `${spec.summary}`,
    '',
    `Usage: ${usage}`,
    '',
    ...(own.length === 0 ? [] : ['Flags:', ...own, '']),
    'Everywhere:',
    ...common,
    ...(spec.examples.length === 0
      ? []
      : ['', 'Examples:', ...spec.examples.map((line) => `  ${line}`)]),
    '',
  ].join('\n');
}

function formatFlag(flag: FlagSpec): string {
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `;
  const value = flag.value === undefined ? '' : ` ${flag.value}`;
  const left = `  ${short}--${flag.name}${value}`;
  const gap = left.length < summaryColumn ? left.padEnd(summaryColumn) : `${left}  `;
  return `${gap}  ${flag.summary}`;
}

/*
 * Two texts as hunks of lines, by the package `diff`. The search gives up after a moment, or when the texts have too little in common:
 * what an agent sends may be anything, and nothing else is served while it searches. (Its way to search in steps takes a
 * millisecond for each line that differs.)
 */
import { structuredPatch } from 'diff';

export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /* Each with its sign: a space, `-` or `+`. */
  readonly lines: readonly string[];
}

/* The search is quadratic in the lines that differ; a person reads no diff of more. */
const editsMax = 4_000;
/* What others have to wait for at most. */
const timeMsMax = 50;
const contextLines = 3;

/* Undefined: they differ too much. */
export function diffTexts(before: string, after: string): readonly Hunk[] | undefined {
  if (before === after) return [];
  // There is nothing to search for.
  if (before === '') return [oneSided('+', after)];
  if (after === '') return [oneSided('-', before)];
  const limits = { context: contextLines, maxEditLength: editsMax, timeout: timeMsMax };
  return structuredPatch('', '', before, after, undefined, undefined, limits)?.hunks;
}

const noNewline = '\\ No newline at end of file';

function oneSided(sign: '+' | '-', text: string): Hunk {
  const isEnded = text.endsWith('\n');
  const lines = (isEnded ? text.slice(0, -1) : text).split('\n').map((line) => sign + line);
  const count = lines.length;
  const [oldLines, newLines] = sign === '+' ? [0, count] : [count, 0];
  return {
    oldStart: oldLines === 0 ? 0 : 1,
    oldLines,
    newStart: newLines === 0 ? 0 : 1,
    newLines,
    lines: isEnded ? lines : [...lines, noNewline],
  };
}

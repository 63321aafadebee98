/*
 * What a turn has changed, for people and for `patch`: a unified diff, or the counts. What a gateway sends is made visible once more, since a
 * terminal would obey it.
 */
import { makeVisible } from '@clawdfather/tools/text';
import { formatBytes } from '../render/bytes.ts';
import type { Paint } from '../render/paint.ts';
import { type Cell, formatTable } from '../render/table.ts';
import type { ChangedFile, FileChanges, Hunk } from './read-changes.ts';

export const noChanges = 'No files changed in this turn, as far as its agent has told\n';

interface Counts {
  readonly added: number | null;
  readonly removed: number | null;
}

/* `+3 −1`. */
export function formatCounts({ added, removed }: Counts, paint: Paint): string {
  return `${paint.good(`+${added ?? '?'}`)} ${paint.bad(`−${removed ?? '?'}`)}`;
}

export interface StatLook {
  readonly paint: Paint;
  readonly columnsMax: number | undefined;
}

export function formatStat(files: readonly ChangedFile[], { paint, columnsMax }: StatLook): string {
  const rows = files.map((file): readonly Cell[] => [
    { text: count('+', file.added), paint: paint.good, isRight: true },
    { text: count('−', file.removed), paint: paint.bad, isRight: true },
    { text: remarkOf(file) },
    { text: makeVisible(file.path), paint: paint.strong },
  ]);
  const headers = ['ADDED', 'REMOVED', 'NOTE', 'FILE'];
  const layout = {
    headers,
    rightHeaders: ['ADDED', 'REMOVED'],
    paintHeader: paint.dim,
    columnsMax,
  };
  return formatTable(layout, rows);
}

function count(sign: string, lines: number | null): string {
  return lines === null ? '-' : `${sign}${lines}`;
}

function remarkOf(file: ChangedFile): string {
  const size = file.bytes === null ? '' : `, ${formatBytes(file.bytes)}`;
  const kinds = {
    text: '',
    binary: `binary${size}`,
    too_large: `too large to compare${size}`,
    not_counted: 'not counted',
  };
  const words = [file.is_new ? 'new' : '', kinds[file.kind], file.is_done ? '' : 'not done yet'];
  return words.filter((word) => word !== '').join(', ');
}

export function formatDiff({ file, hunks, beginning }: FileChanges, paint: Paint): string {
  const path = makeVisible(file.path);
  const size = file.bytes === null ? '' : ` (${formatBytes(file.bytes)})`;
  switch (file.kind) {
    case 'binary':
      return `Binary file ${path} changed${size}, SHA-256 ${makeVisible(file.sha256 ?? 'unknown')}\n`;
    case 'not_counted':
      return `File ${path} changed; there was no time to compare it\n`;
    case 'too_large': {
      const lines = (beginning ?? []).map((line) => `  ${visibleLine(line)}\n`);
      const begins = lines.length === 0 ? '' : '; it begins with:';
      return `File ${path} changed and is too large to compare${size}${begins}\n${lines.join('')}`;
    }
    case 'text':
      return [
        paint.strong(`--- ${file.is_new ? '/dev/null' : sideOf('a', path)}`),
        paint.strong(`+++ ${sideOf('b', path)}`),
        ...hunks.flatMap((hunk) => formatHunk(hunk, file, paint)),
        '',
      ].join('\n');
  }
}

/* A path outside of the thread's directory is shown as it is. */
function sideOf(side: 'a' | 'b', path: string): string {
  return path.startsWith('/') ? path : `${side}/${path}`;
}

function formatHunk(hunk: Hunk, { edits }: ChangedFile, paint: Paint): readonly string[] {
  const old = rangeOf(hunk.old_start, hunk.old_lines);
  const now = rangeOf(hunk.new_start, hunk.new_lines);
  // Each of several edits counts its lines from its own beginning.
  const which = edits > 1 ? ` edit ${hunk.edit} of ${edits}` : '';
  const lines = hunk.lines.map((line) => {
    const shown = visibleLine(line);
    if (shown.startsWith('+')) return paint.good(shown);
    return shown.startsWith('-') ? paint.bad(shown) : shown;
  });
  return [paint.dim(`@@ -${old} +${now} @@${which}`), ...lines];
}

/* As git writes it: one line needs no number of lines. */
function rangeOf(start: number, lines: number): string {
  return lines === 1 ? String(start) : `${start},${lines}`;
}

/* Tabs are what they look like. */
function visibleLine(line: string): string {
  return line.split('\t').map(makeVisible).join('\t');
}

/*
 * Hunks by page: as many whole lines as fit, with a hunk cut where it has to be. Each piece of one says where it stands, as a hunk does. Pure.
 */
import type { FileHunk } from './diff-file.ts';

export interface HunkPage {
  readonly hunks: readonly FileHunk[];
  /* Undefined: that was all. */
  readonly nextOffset: number | undefined;
}

/* `offset` and `limit` count lines of all hunks, one after the other. */
export function pageHunks(
  hunks: readonly FileHunk[],
  { offset, limit }: { readonly offset: number; readonly limit: number },
): HunkPage {
  const shown: FileHunk[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const first = Math.max(0, offset - at);
    const end = Math.min(hunk.lines.length, offset + limit - at);
    if (first < end) shown.push(pieceOf(hunk, first, end));
    at += hunk.lines.length;
  }
  const end = offset + limit;
  return { hunks: shown, nextOffset: end < at ? end : undefined };
}

function pieceOf(hunk: FileHunk, first: number, end: number): FileHunk {
  if (first === 0 && end === hunk.lines.length) return hunk;
  const before = sidesOf(hunk.lines.slice(0, first));
  const lines = hunk.lines.slice(first, end);
  const inside = sidesOf(lines);
  return {
    ...hunk,
    oldStart: hunk.oldStart + before.old,
    newStart: hunk.newStart + before.new,
    oldLines: inside.old,
    newLines: inside.new,
    lines,
  };
}

/* How many lines of each side these are. A remark (`\\ No newline at end of file`) is of none. */
function sidesOf(lines: readonly string[]): { readonly old: number; readonly new: number } {
  const with_ = (signs: string) => lines.filter((line) => signs.includes(line[0] ?? ' ')).length;
  return { old: with_(' -'), new: with_(' +') };
}

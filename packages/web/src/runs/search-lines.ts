/*
 * The lines of an output that have a text in them, in upper or lower case; the last ones, because those are looked for.
 */
import type { OutputBlock } from './output-window.ts';

export interface FoundLine {
  /* Which line it is; only to tell them apart. */
  readonly at: number;
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

const shownMax = 300;
/* A line that is longer is shown around what was found. */
const aroundCharacters = 400;

export function linesWith(
  blocks: readonly OutputBlock[],
  search: string,
): { readonly lines: readonly FoundLine[]; readonly count: number } {
  const wanted = search.toLowerCase();
  const found: FoundLine[] = [];
  let count = 0;
  let at = 0;
  for (const { text } of blocks) {
    for (const line of text.split('\n')) {
      at += 1;
      const place = line.toLowerCase().indexOf(wanted);
      if (place < 0) continue;
      count += 1;
      found.push({ at, ...cutAround(line, place, search.length) });
      if (found.length > shownMax) found.shift();
    }
  }
  return { lines: found, count };
}

function cutAround(line: string, place: number, length: number): Omit<FoundLine, 'at'> {
  const end = place + length;
  return {
    before: line.slice(Math.max(0, place - aroundCharacters), place),
    match: line.slice(place, end),
    after: line.slice(end, end + aroundCharacters),
  };
}

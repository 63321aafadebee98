/*
 * One page of lines out of a long text, in bounded memory.
 *
 * Lines are counted from 0. A newline ends a line; text after the last one is a line too. Two ways of looking:
 *   - `head`: from a known line on. What comes before is counted and let go; once the page is full the rest is counted.
 *   - `tail`: the last lines. The oldest are let go as new ones come.
 * A page from somewhere before the tail (`offset: -5000, limit: 10`) takes two readings: one to count, one to look.
 *
 * Limits: a page has at most `pageCharactersMax`, so it may have fewer lines than asked for, a tail the last ones and a
 * head the first ones; `firstLine` and `lines` say which. A line longer than `lineCharactersMax` is cut, with a notice.
 */
import { outputCharactersMax, processLimits } from '@clawdfather/protocol';
import { copyOf } from './copy-of.ts';

export interface PageRequest {
  /* From the first line, or from the end when negative. Default: the last `limit` lines. */
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

export interface LinePage {
  readonly text: string;
  readonly firstLine: number;
  readonly lines: number;
  readonly totalLines: number;
}

export interface LinePager {
  push(text: string): void;
  /* Once, after the last push. */
  page(): LinePage;
}

/* A page that is one line still fits ten times into what a tool returns. */
export const lineCharactersMax = outputCharactersMax / 10;
export const pageCharactersMax = outputCharactersMax;

/* What one reading can do; `planReading` says which. */
export type Reading =
  | { readonly kind: 'head'; readonly from: number; readonly limit: number }
  | { readonly kind: 'tail'; readonly limit: number };

/* Reads `open()` once, or twice for a page in the middle that is counted from the end. */
export async function readPage(
  open: () => AsyncIterable<string>,
  request: PageRequest = {},
): Promise<LinePage> {
  const limit = request.limit ?? processLimits.logLines.usual;
  const offset = request.offset ?? -limit;
  if (offset >= 0) return readThrough(open(), { kind: 'head', from: offset, limit });
  if (-offset <= limit) return readThrough(open(), { kind: 'tail', limit: -offset });
  const { totalLines } = await readThrough(open(), { kind: 'tail', limit: 0 });
  const from = Math.max(0, totalLines + offset);
  return readThrough(open(), { kind: 'head', from, limit });
}

async function readThrough(texts: AsyncIterable<string>, reading: Reading): Promise<LinePage> {
  const pager = createLinePager(reading);
  for await (const text of texts) pager.push(text);
  return pager.page();
}

export function createLinePager(reading: Reading): LinePager {
  const page = reading.kind === 'head' ? createHead(reading) : createTail(reading.limit);
  let lineNumber = 0;
  let line: OpenLine = emptyLine();

  const finishLine = (): void => {
    page.add(line, lineNumber);
    lineNumber += 1;
    line = emptyLine();
  };

  return {
    push: (text) => {
      let at = 0;
      while (at < text.length) {
        const newline = text.indexOf('\n', at);
        const end = newline === -1 ? text.length : newline;
        line.isBegun = true;
        if (page.wants(lineNumber)) extend(line, text, [at, end]);
        if (newline !== -1) finishLine();
        at = end + 1;
      }
    },
    page: () => {
      if (line.isBegun) finishLine();
      const { lines, firstLine } = page.take();
      return { text: lines.join('\n'), firstLine, lines: lines.length, totalLines: lineNumber };
    },
  };
}

interface OpenLine {
  isBegun: boolean;
  text: string;
  /* Of the whole line, kept or not. */
  characters: number;
}

const emptyLine = (): OpenLine => ({ isBegun: false, text: '', characters: 0 });

function extend(line: OpenLine, text: string, [from, to]: readonly [number, number]): void {
  const room = lineCharactersMax - line.text.length;
  line.characters += to - from;
  if (room <= 0) return;
  // The piece may be much larger than what is kept of it.
  const kept = text.slice(from, Math.min(to, from + room));
  line.text += kept.length < to - from ? copyOf(kept) : kept;
}

/* Not in the middle of a surrogate pair. */
function formatLine({ text, characters }: OpenLine): string {
  if (characters <= text.length) return text;
  const kept = /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
  return `${kept}… [${characters - kept.length} more characters in this line]`;
}

interface Page {
  /* False when a line with this number will not be shown: its text need not be gathered. */
  wants(lineNumber: number): boolean;
  add(line: OpenLine, lineNumber: number): void;
  take(): { readonly lines: readonly string[]; readonly firstLine: number };
}

function createHead({ from, limit }: Extract<Reading, { kind: 'head' }>): Page {
  const lines: string[] = [];
  let characters = 0;
  let isFull = limit === 0;
  const wants = (lineNumber: number): boolean => !isFull && lineNumber >= from;
  return {
    wants,
    add: (line, lineNumber) => {
      if (!wants(lineNumber)) return;
      const text = formatLine(line);
      characters += text.length + 1;
      isFull = characters > pageCharactersMax;
      // One line always fits.
      if (isFull) return;
      lines.push(text);
      isFull = lines.length === limit;
    },
    take: () => ({ lines, firstLine: from }),
  };
}

/* The oldest are let go in batches: taking away the first of very many would move them all. */
function createTail(limit: number): Page {
  let lines: string[] = [];
  let from = 0;
  let characters = 0;
  let nextNumber = 0;
  return {
    wants: () => limit > 0,
    add: (line, lineNumber) => {
      nextNumber = lineNumber + 1;
      if (limit === 0) return;
      const text = formatLine(line);
      lines.push(text);
      characters += text.length + 1;
      while (lines.length - from > limit || characters > pageCharactersMax) {
        characters -= (lines[from]?.length ?? 0) + 1;
        lines[from] = '';
        from += 1;
      }
      if (from < lines.length / 2 || from < 1_000) return;
      lines = lines.slice(from);
      from = 0;
    },
    take: () => {
      const kept = lines.slice(from);
      return { lines: kept, firstLine: nextNumber - kept.length };
    },
  };
}

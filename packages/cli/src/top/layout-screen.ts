/*
 * A look on a screen of a given size: sums on top, hints at the bottom, and between them
 * the living runs, which can be scrolled, and what ended lately.
 */
import type { TerminalSize } from '../io/io.ts';
import type { Place } from '../place/place.ts';
import type { Paint } from '../render/paint.ts';
import { fitHints, type LookText } from './format-look.ts';

export interface ScreenView {
  readonly size: TerminalSize;
  /* How many rows are scrolled away. */
  readonly offset: number;
  readonly paint: Paint;
  /* What is said when nothing lives. */
  readonly nothing: string;
}

export interface ScreenLayout {
  readonly lines: readonly string[];
  /* The offset that was used: a list that became shorter is not scrolled beyond its end. */
  readonly offset: number;
  /* Rows of living runs that are seen at once. */
  readonly page: number;
}

const hints = [
  'q quit',
  'c cpu',
  'm memory',
  'o output',
  'a age',
  'n name',
  'r reverse',
  '↑↓ scroll',
];
/* Of the ended, when there is little room, and a third of it at most. */
const endedRowsWanted = 5;
/* Sums, two blank lines, hints. */
const frameRows = 4;

export function layoutScreen(
  text: LookText,
  { size, offset, paint, nothing }: ScreenView,
): ScreenLayout {
  const room = Math.max(0, size.rows - frameRows);
  const liveRows = Math.max(0, text.live.length - 1);
  const endedRows = Math.max(0, text.ended.length - 1);
  // A header, and a blank line before it.
  const wanted = Math.min(
    endedRows === 0 ? 0 : Math.min(endedRows, endedRowsWanted) + 2,
    Math.floor(room / 3),
  );
  const forLive = Math.max(2, room - wanted);
  const page = Math.max(1, Math.min(liveRows, forLive - 1));
  const first = Math.max(0, Math.min(offset, liveRows - page));
  const live =
    liveRows === 0
      ? [nothing]
      : [...text.live.slice(0, 1), ...text.live.slice(1 + first, 1 + first + page)];
  const forEnded = room - live.length - 1;
  const ended = forEnded < 2 || endedRows === 0 ? [] : ['', ...text.ended.slice(0, forEnded)];
  const body = ['', ...live, ...ended];
  const below = liveRows - first - page;
  const more = below > 0 ? [`${below} more below`] : [];
  const foot = paint.dim(fitHints([...more, ...hints], size.cols));
  const used = body.slice(0, Math.max(0, size.rows - 2));
  const blanks = Array.from({ length: Math.max(0, size.rows - 2 - used.length) }, () => '');
  return {
    lines: [text.summary, ...used, ...blanks, foot].slice(0, size.rows),
    offset: first,
    page,
  };
}

/* For `nothing`, and for where there is no screen. */
export function nothingText({ flag, gateway }: Pick<Place, 'flag' | 'gateway'>): string {
  const where = gateway === undefined ? '' : ` at ${gateway}`;
  return `Nothing is running${where}. Start something: clf run${flag} -d -- sleep 60`;
}

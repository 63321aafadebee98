/*
 * A look on a screen of a given size: sums on top, hints at the bottom, and between them
 * the living runs and what ended lately. Scrolling goes through the first, then through the second.
 */
import type { TerminalSize } from '../io/io.ts';
import type { Place } from '../place/place.ts';
import { flagsOf, placeText } from '../render/place-text.ts';
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
  /* Rows that are seen at once, of the list that is being scrolled. */
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
  const endedRows = Math.max(0, text.ended.length - 1);
  // A header, and a blank line before it.
  const wanted = Math.min(
    endedRows === 0 ? 0 : Math.min(endedRows, endedRowsWanted) + 2,
    Math.floor(room / 3),
  );
  const live = windowOn(text.live, offset, Math.max(1, room - wanted - 1));
  const shown = live.rows === 0 ? [nothing] : live.lines;
  const ended = windowOn(text.ended, offset - live.first, room - shown.length - 2);
  const body = ['', ...shown, ...(ended.rows === 0 ? [] : ['', ...ended.lines])];
  const below = live.below + ended.below;
  const isEndedNext = ended.first > 0 || (live.below === 0 && ended.below > 0);
  const more = below > 0 ? [`${below} more below`] : [];
  const foot = paint.dim(fitHints([...more, ...hints], size.cols));
  const used = body.slice(0, Math.max(0, size.rows - 2));
  const blanks = Array.from({ length: Math.max(0, size.rows - 2 - used.length) }, () => '');
  return {
    lines: [text.summary, ...used, ...blanks, foot].slice(0, size.rows),
    offset: live.first + ended.first,
    page: Math.max(1, isEndedNext ? ended.rows : live.rows),
  };
}

/* A part of a table under its header. */
interface TableWindow {
  readonly lines: readonly string[];
  /* The first row that is seen, and how many are. */
  readonly first: number;
  readonly rows: number;
  readonly below: number;
}

const noWindow: TableWindow = { lines: [], first: 0, rows: 0, below: 0 };

function windowOn(table: readonly string[], offset: number, room: number): TableWindow {
  const all = Math.max(0, table.length - 1);
  const rows = Math.min(all, room);
  if (rows < 1) return noWindow;
  const first = Math.max(0, Math.min(offset, all - rows));
  const lines = [...table.slice(0, 1), ...table.slice(1 + first, 1 + first + rows)];
  return { lines, first, rows, below: all - first - rows };
}

/* For `nothing`, and for where there is no screen. */
export function nothingText(place: Pick<Place, 'flag' | 'gateway' | 'host'>): string {
  const start = `clf run${flagsOf(place)} -d -- sleep 60`;
  return `Nothing is running${placeText(place)}. Start something: ${start}`;
}

/*
 * A table that fits the terminal: every column as wide as its longest cell,
 * the last one takes what is left and is cut. Where that would be too little,
 * columns that are least missed go first. Not on a terminal nothing is cut,
 * since whoever reads it there has no right edge.
 */
import { columnsOf, fitColumns } from '@clawdfather/tools/text';

export interface Cell {
  /* Without colours: widths are counted on it. */
  readonly text: string;
  readonly paint?: (text: string) => string;
  /* Numbers of one kind are compared more easily so. */
  readonly isRight?: boolean;
}

export interface TableLayout {
  readonly headers: readonly string[];
  readonly paintHeader: (text: string) => string;
  /* Headers over cells that stand right. */
  readonly rightHeaders?: readonly string[];
  /* Undefined: no limit. */
  readonly columnsMax: number | undefined;
  /* Headers of the columns that go when it is narrow, in this order. */
  readonly dispensable?: readonly string[];
  /* So much of the last column that others go first. Default 20. */
  readonly lastColumnWanted?: number;
  /* By the header of a column that may go: the column whose empty cells then show its text. */
  readonly standIns?: Readonly<Record<string, string>>;
}

const gap = '  ';
/* The last column is the one people read: below this, another one goes. */
const lastColumnUsual = 20;
/* Narrower it says nothing; the line may then wrap. */
const lastColumnMin = 4;

export function formatTable(layout: TableLayout, rows: readonly (readonly Cell[])[]): string {
  const headers = layout.headers.map(
    (text): Cell => ({
      text,
      paint: layout.paintHeader,
      isRight: layout.rightHeaders?.includes(text) ?? false,
    }),
  );
  const shown = shownColumns(layout, widthsOf(layout, [headers, ...rows]));
  const all = [headers, ...rows.map((row) => withStandIns(layout, row, shown))];
  const widths = widthsOf(layout, all);
  const last = shown.at(-1) ?? 0;
  const lastMax = Math.max(lastColumnMin, roomForLast(layout, widths, shown));
  const lines = all.map((row) =>
    shown
      .map((column) => {
        const cell = row[column] ?? { text: '' };
        const text = column === last ? fitColumns(cell.text, lastMax) : cell.text;
        const padding = column === last ? 0 : (widths[column] ?? 0) - columnsOf(text);
        const blanks = ' '.repeat(Math.max(0, padding));
        const painted = cell.paint?.(text) ?? text;
        return cell.isRight === true ? blanks + painted : painted + blanks;
      })
      .join(gap)
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

function widthsOf({ headers }: TableLayout, rows: readonly (readonly Cell[])[]): number[] {
  return headers.map((_, column) =>
    Math.max(...rows.map((row) => columnsOf(row[column]?.text ?? ''))),
  );
}

function withStandIns(
  { headers, standIns = {} }: TableLayout,
  row: readonly Cell[],
  shown: readonly number[],
): readonly Cell[] {
  const cells = [...row];
  for (const [gone, standIn] of Object.entries(standIns)) {
    const [from, to] = [headers.indexOf(gone), headers.indexOf(standIn)];
    const cell = cells[from];
    if (cell !== undefined && !shown.includes(from) && cells[to]?.text === '') cells[to] = cell;
  }
  return cells;
}

/* Indexes of the columns there is room for. */
function shownColumns(layout: TableLayout, widths: readonly number[]): number[] {
  let shown = layout.headers.map((_, column) => column);
  const wanted = Math.min(layout.lastColumnWanted ?? lastColumnUsual, widths.at(-1) ?? 0);
  for (const header of layout.dispensable ?? []) {
    if (roomForLast(layout, widths, shown) >= wanted) break;
    shown = shown.filter((column) => layout.headers[column] !== header);
  }
  return shown;
}

function roomForLast(
  { columnsMax }: TableLayout,
  widths: readonly number[],
  shown: readonly number[],
): number {
  if (columnsMax === undefined) return Number.POSITIVE_INFINITY;
  const before = shown.slice(0, -1);
  return columnsMax - before.reduce((sum, column) => sum + (widths[column] ?? 0) + gap.length, 0);
}

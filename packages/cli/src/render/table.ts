/*
 * A table that fits the terminal: every column as wide as its longest cell,
 * the last one takes what is left and is cut. Not on a terminal nothing is cut,
 * since whoever reads it there has no right edge.
 */
import { columnsOf, fitColumns } from './visible-text.ts';

export interface Cell {
  /* Without colours: widths are counted on it. */
  readonly text: string;
  readonly paint?: (text: string) => string;
}

export interface TableLayout {
  readonly headers: readonly string[];
  readonly paintHeader: (text: string) => string;
  /* Undefined: no limit. */
  readonly columnsMax: number | undefined;
}

const gap = '  ';
/* A last column narrower than this says nothing; the line may then wrap. */
const lastColumnMin = 12;

export function formatTable(layout: TableLayout, rows: readonly (readonly Cell[])[]): string {
  const headers = layout.headers.map((text): Cell => ({ text, paint: layout.paintHeader }));
  const all = [headers, ...rows];
  const last = layout.headers.length - 1;
  const widths = layout.headers.map((_, column) =>
    Math.max(...all.map((row) => columnsOf(row[column]?.text ?? ''))),
  );
  const taken = widths.slice(0, last).reduce((sum, width) => sum + width + gap.length, 0);
  const lastMax =
    layout.columnsMax === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(lastColumnMin, layout.columnsMax - taken);
  const lines = all.map((row) =>
    row
      .map((cell, column) => {
        const text = column === last ? fitColumns(cell.text, lastMax) : cell.text;
        const padding = column === last ? 0 : (widths[column] ?? 0) - columnsOf(text);
        return (cell.paint?.(text) ?? text) + ' '.repeat(Math.max(0, padding));
      })
      .join(gap)
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

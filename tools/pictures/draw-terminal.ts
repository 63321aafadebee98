/*
 * A terminal as SVG: a window with a title, and its text. The colours are our own choice of the sixteen usual ones.
 */
import type { CellRows, Piece } from './read-cells.ts';

const cellWidth = 8.4;
const lineHeight = 19;
const padding = 16;
const titleHeight = 34;

const ink = '#d7dae0';
const paper = '#16181d';
const palette = ['#3b4048', '#f07178', '#a5d16e', '#f2c06b', '#6cb2f7', '#c99cf5', '#5fd0d0', ink];

export function drawTerminal(rows: CellRows, title: string): string {
  const columns = Math.max(...rows.flat().map(({ column, text }) => column + text.length));
  const width = Math.ceil(columns * cellWidth + 2 * padding);
  const height = titleHeight + rows.length * lineHeight + padding;
  const lines = rows.flatMap((pieces, row) =>
    pieces.map((piece) => drawPiece(piece, titleHeight + row * lineHeight)),
  );
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}">`,
    `<rect width="${width}" height="${height}" rx="8" fill="${paper}"/>`,
    ...['#f07178', '#f2c06b', '#a5d16e'].map(
      (fill, at) => `<circle cx="${padding + 4 + at * 18}" cy="17" r="5" fill="${fill}"/>`,
    ),
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">`,
    `<text x="${width / 2}" y="22" fill="#8a919e" text-anchor="middle">${escape(title)}</text>`,
    ...lines,
    '</g>',
    '</svg>',
  ].join('\n')}\n`;
}

function drawPiece({ column, text, colour, isBold, isDim }: Piece, top: number): string {
  const look = [
    `fill="${colour === undefined ? ink : (palette[colour % 8] ?? ink)}"`,
    ...(isBold ? ['font-weight="bold"'] : []),
    ...(isDim ? ['opacity="0.6"'] : []),
  ].join(' ');
  const x = (padding + column * cellWidth).toFixed(1);
  // The length keeps columns in line whatever font is there.
  const length = (text.length * cellWidth).toFixed(1);
  return `<text x="${x}" y="${top + 14}" textLength="${length}" ${look}>${escape(text)}</text>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

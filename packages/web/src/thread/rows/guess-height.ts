/*
 * How high a row will be, before it is drawn. Only the length of the scroll bar depends on it.
 */
import type { Piece } from '../../text/split-markdown.ts';
import type { Edge } from './row.ts';

const linePx = 24;
const codeLinePx = 20;
/* Of a phone that is held upright. */
const charactersOfLine = 42;

export function guessText(piece: Piece): number {
  const lines = piece.text.split('\n');
  if (piece.kind === 'code') return 16 + lines.length * codeLinePx;
  const rows = lines.reduce(
    (sum, { length }) => sum + Math.ceil((length || 1) / charactersOfLine),
    0,
  );
  return 16 + rows * linePx;
}

export function guessTool(edge: Edge): number {
  return edge === 'middle' || edge === 'last' ? 44 : 60;
}

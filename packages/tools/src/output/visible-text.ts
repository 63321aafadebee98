/*
 * How wide text is on a terminal, and text cut to fit one. What hides in it is made visible by kit.
 */
import { textColumns } from './character-columns.ts';

const printable = /^[ -~]*$/;

/* Made when first needed: it costs as much as everything else in a short command. */
let segmenter: Intl.Segmenter | undefined;

function* graphemesOf(text: string): Iterable<string> {
  if (printable.test(text)) {
    yield* text;
    return;
  }
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/* Columns the text takes; escape sequences must not be in it. */
export function columnsOf(text: string): number {
  return printable.test(text) ? text.length : textColumns(text);
}

/* At most `columnsMax` wide, with an ellipsis where something was cut. */
export function fitColumns(text: string, columnsMax: number): string {
  if (columnsOf(text) <= columnsMax) return text;
  let fitted = '';
  let columns = 0;
  for (const grapheme of graphemesOf(text)) {
    const next = columns + columnsOf(grapheme);
    if (next > columnsMax - 1) break;
    fitted += grapheme;
    columns = next;
  }
  return columnsMax < 1 ? '' : `${fitted}…`;
}

/* Lines of at most `columnsMax`, cut between words; a longer word has a line of its own. */
export function wrapWords(text: string, columnsMax: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && columnsOf(longer) > columnsMax) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/* The whole text in rows of at most `columnsMax`, cut anywhere and nothing left out: a terminal would do so unmarked. */
export function cutColumns(text: string, columnsMax: number): string[] {
  const rows: string[] = [];
  let row = '';
  let columns = 0;
  for (const piece of piecesOf(text, columnsMax)) {
    const width = columnsOf(piece);
    if (row !== '' && columns + width > columnsMax) {
      rows.push(row);
      row = '';
      columns = 0;
    }
    row += piece;
    columns += width;
  }
  return [...rows, row];
}

/* Graphemes; one that is wider than a row (some musical notes are three columns) in its characters. */
function* piecesOf(text: string, columnsMax: number): Generator<string> {
  for (const grapheme of graphemesOf(text)) {
    if (columnsOf(grapheme) > columnsMax) yield* grapheme;
    else yield grapheme;
  }
}

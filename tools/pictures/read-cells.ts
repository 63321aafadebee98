/*
 * What a terminal shows after some output: its rows as pieces of text that look alike.
 */
import headless from '@xterm/headless';

export interface Piece {
  readonly column: number;
  readonly text: string;
  /* Of the terminal's palette; undefined is the usual one. */
  readonly colour: number | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

export type CellRows = readonly (readonly Piece[])[];

export async function readCells(
  output: string,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): Promise<CellRows> {
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  const buffer = terminal.buffer.active;
  const found = Array.from({ length: rows }, (_, row) => {
    const line = buffer.getLine(buffer.baseY + row);
    return line === undefined ? [] : piecesOf(line, columns);
  });
  terminal.dispose();
  return found;
}

type Line = NonNullable<ReturnType<headless.Terminal['buffer']['active']['getLine']>>;

function piecesOf(line: Line, columns: number): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let column = 0; column < columns; column += 1) {
    const cell = line.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const look = {
      colour: cell.isFgDefault() ? undefined : cell.getFgColor(),
      isBold: cell.isBold() !== 0,
      isDim: cell.isDim() !== 0,
    };
    const text = cell.getChars() || ' ';
    const last = pieces.at(-1);
    if (last !== undefined && isAlike(last, look)) {
      pieces[pieces.length - 1] = { ...last, text: last.text + text };
    } else pieces.push({ column, text, ...look });
  }
  return pieces.flatMap(withoutGaps);
}

/* Viewers of pictures draw several blanks as one. */
function withoutGaps(piece: Piece): readonly Piece[] {
  return [...piece.text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: text, index }) => ({
    ...piece,
    text,
    column: piece.column + index,
  }));
}

function isAlike(piece: Piece, look: Omit<Piece, 'column' | 'text'>): boolean {
  return piece.colour === look.colour && piece.isBold === look.isBold && piece.isDim === look.isDim;
}

/*
 * A screen laid out for a terminal of another size, of which the program does not know: part of the adapter around
 * @xterm/headless (terminal-model.ts).
 *
 * Lines that a program wrote one after the other are wrapped at the new width, and the cursor stays behind the character it stood
 * behind: the model moves it with the lines, but not along them. A full-screen program has placed every row itself, so its rows
 * are cut and none is moved; the model would keep what is beyond the edge and paint it into the next row.
 */
import type { IBuffer, Terminal } from '@xterm/headless';
import type { TerminalSize } from './terminal-size.ts';

export async function layOutScreen(terminal: Terminal, size: TerminalSize): Promise<void> {
  const isAlternate = terminal.buffer.active.type === 'alternate';
  await (isAlternate ? cutRows(terminal, size) : wrapLines(terminal, size));
}

async function cutRows(terminal: Terminal, { cols, rows }: TerminalSize): Promise<void> {
  const { cursorX, cursorY } = terminal.buffer.active;
  const beyond = cols < terminal.cols ? `\u001b[${cols + 1}G\u001b[K` : '';
  // A line feed tells the model that the next row does not go on with this one. DECSC and DECRC keep the colours.
  const rowByRow = Array.from({ length: terminal.rows }, () => beyond).join('\n');
  const cursor = place(cursorY, Math.min(cursorX, cols - 1));
  await write(terminal, `\u001b7\u001b[?6l\u001b[r\u001b[0m\u001b[H${rowByRow}\u001b8${cursor}`);
  terminal.resize(cols, rows);
}

async function wrapLines(terminal: Terminal, { cols, rows }: TerminalSize): Promise<void> {
  const buffer = terminal.buffer.active;
  const first = firstRowOf(buffer, buffer.cursorY);
  let behind = buffer.cursorX;
  for (let row = first; row < buffer.cursorY; row += 1) behind += columnsUsed(buffer, row);
  // With room for every row: the model loses count of the rows that it has to let go while it wraps.
  const rowsForAll = terminal.rows * Math.ceil(terminal.cols / Math.max(1, cols - 1));
  terminal.resize(terminal.cols, rowsForAll);
  const marker = terminal.registerMarker(first - buffer.cursorY);
  terminal.options.reflowCursorLine = true;
  terminal.resize(cols, rowsForAll);
  terminal.options.reflowCursorLine = false;
  let row = Math.max(0, marker?.line ?? 0);
  marker?.dispose();
  while (behind >= columnsUsed(buffer, row) && buffer.getLine(row + 1)?.isWrapped === true) {
    behind -= columnsUsed(buffer, row);
    row += 1;
  }
  await write(terminal, place(row, Math.min(behind, cols - 1)));
  // Of too many rows those below the cursor go, then those at the top.
  terminal.resize(cols, rows);
}

function firstRowOf(buffer: IBuffer, row: number): number {
  return row > 0 && buffer.getLine(row)?.isWrapped === true ? firstRowOf(buffer, row - 1) : row;
}

/* Of a row that goes on in the next: a wide character that did not fit has left a blank at its end. */
function columnsUsed(buffer: IBuffer, row: number): number {
  const line = buffer.getLine(row);
  if (line === undefined) return 0;
  const isBlankAtEnd = line.getCell(line.length - 1)?.getChars() === '';
  const isWideNext =
    buffer
      .getLine(row + 1)
      ?.getCell(0)
      ?.getWidth() === 2;
  // The second half of a wide character is empty as well.
  const isHalf = line.getCell(line.length - 1)?.getWidth() === 0;
  return isBlankAtEnd && isWideNext && !isHalf ? line.length - 1 : line.length;
}

function place(row: number, column: number): string {
  return `\u001b[${row + 1};${column + 1}H`;
}

function write(terminal: Terminal, text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  terminal.write(text, resolve);
  return promise;
}

/*
 * The word about a lost connection, on the last line of a terminal that a program has for itself: it moves nothing, and is taken
 * away again before anything else is drawn.
 */
import type { Io, LocalTerminal } from '../io/io.ts';

export interface LostNotice {
  readonly show: () => void;
  readonly clear: () => Promise<void>;
}

const words = '[clf: connection lost, trying again; keys are not sent until it is back]';
/* The cursor, with its style and its margins, is kept and given back. */
const keep = '\u001b7\u001b[?6l';
const giveBack = '\u001b8';

export function createLostNotice(
  { stdout }: Pick<Io, 'stdout'>,
  terminal: Pick<LocalTerminal, 'size'>,
): LostNotice {
  let row: number | undefined;
  // Behind what is still being written, never in the middle of it. A terminal that is gone is noticed elsewhere.
  const write = (text: string): Promise<void> => stdout.write(text).catch(() => {});
  return {
    show: () => {
      const { cols, rows } = terminal.size();
      row = rows;
      const text = words.slice(0, Math.max(0, cols - 1));
      void write(`${keep}\u001b[${rows};1H\u001b[0;7m${text}\u001b[0m\u001b[K${giveBack}`);
    },
    clear: async () => {
      if (row === undefined) return;
      const at = row;
      row = undefined;
      await write(`${keep}\u001b[${at};1H\u001b[0m\u001b[2K${giveBack}`);
    },
  };
}

/*
 * A full screen that does not flicker: only lines that changed are written, and all of
 * a change at once, as one synchronised update where the terminal knows such.
 */
import type { Sink } from '../io/io.ts';

/* Another screen, so that what was there comes back; no cursor; no wrapping of what is too long. */
export const enterScreen = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J';
export const leaveScreen = '\u001b[?7h\u001b[?25h\u001b[?1049l';

const beginUpdate = '\u001b[?2026h';
const endUpdate = '\u001b[?2026l';

export interface ScreenPainter {
  paint(lines: readonly string[]): Promise<void>;
  /* The screen is not what was painted: another size, or we come back to it. */
  forget(): void;
}

export function createScreenPainter(stdout: Sink): ScreenPainter {
  let shown: readonly string[] | undefined;
  return {
    paint: async (lines) => {
      const before = shown;
      shown = lines;
      const isWhole = before === undefined || before.length !== lines.length;
      // Cleared first: behind a line that fills the screen's width the cursor is still on its last letter.
      const changed = lines.flatMap((line, row) =>
        !isWhole && before[row] === line ? [] : [`\u001b[${row + 1};1H\u001b[2K${line}\u001b[0m`],
      );
      if (changed.length === 0) return;
      const clear = isWhole ? '\u001b[2J' : '';
      await stdout.write(`${beginUpdate}${clear}${changed.join('')}${endUpdate}`);
    },
    forget: () => {
      shown = undefined;
    },
  };
}

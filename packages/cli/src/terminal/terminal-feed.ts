/*
 * What the terminal of the person here is connected to: the screen as it was when we arrived, what the run says from there on, and
 * the way back. One per attached run, of this machine or of a gateway.
 */
import type { OutputEvent } from '@clawdfather/supervisor';
import type { Screen } from '@clawdfather/tools/terminal';
import type { TerminalSize } from '../io/io.ts';

export interface Picture {
  readonly text: string;
  /* Where it leaves the cursor, counted from 0. */
  readonly cursorRow: number;
  /* A row can be put before it, and none is lost. */
  readonly isLastRowFree: boolean;
}

export function pictureOf(text: string, { cursor, lines }: Shown): Picture {
  const isLastRowFree = lines.at(-1) === '' && cursor.row < lines.length - 1;
  return { text, cursorRow: cursor.row, isLastRowFree };
}

type Shown = Pick<Screen, 'lines'> & { readonly cursor: Pick<Screen['cursor'], 'row'> };

/* After a lost connection: how the screen looks now. Undefined: it could not be asked for, and the output goes on where it was. */
export interface Repaint {
  readonly kind: 'repaint';
  readonly picture: Picture | undefined;
}

export type FeedEvent = OutputEvent | Repaint;

export interface TerminalFeed {
  /* Paints the screen on an empty one; undefined: the run has said nothing yet. */
  readonly picture: Picture | undefined;
  /* This terminal, and no other, answers the program's questions (E8). It may become so while it is attached. */
  isAnswerer(): boolean;
  /* From where the picture ends, until the run has ended or the feed is closed. */
  readonly events: AsyncIterable<FeedEvent>;
  write(bytes: Uint8Array): Promise<void>;
  resize(size: TerminalSize): Promise<void>;
  close(): Promise<void>;
}

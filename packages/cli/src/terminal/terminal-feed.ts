/*
 * What the terminal of the person here is connected to: the screen as it was when we arrived, what the run says from there on, and
 * the way back. One per attached run, of this machine or of a gateway.
 */
import type { OutputEvent } from '@clawdfather/supervisor';
import type { TerminalSize } from '../io/io.ts';

export interface TerminalFeed {
  /* Paints the screen on an empty one; undefined: the run has said nothing yet. */
  readonly picture: string | undefined;
  /* This terminal, and no other, answers the program's questions (E8). It may become so while it is attached. */
  isAnswerer(): boolean;
  /* From where the picture ends, until the run has ended or the feed is closed. */
  readonly events: AsyncIterable<OutputEvent>;
  write(bytes: Uint8Array): Promise<void>;
  resize(size: TerminalSize): Promise<void>;
  close(): Promise<void>;
}

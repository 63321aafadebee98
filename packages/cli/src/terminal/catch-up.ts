/*
 * The screen as it was when our terminal arrived, for painting it there.
 *
 * History is never replayed to the terminal itself: it would answer old queries
 * into the live program (E8). It goes through the terminal model instead, and the
 * model's picture is painted. History ends exactly at our own note in the
 * journal; from there on the output goes to the terminal as it is.
 */
import type { Cursor, OutputEvent } from '@clawdfather/supervisor';
import {
  createModeTracker,
  formatPicture,
  replayOutput,
  type TerminalSize,
} from '@clawdfather/tools/terminal';
import { type Picture, pictureOf } from './terminal-feed.ts';

export interface CatchUpOptions {
  /* What is in the journal. */
  readonly events: AsyncIterable<OutputEvent>;
  /* Position after the note about us; undefined when the run is over and nobody noted anything. */
  readonly until: Cursor | undefined;
  /* The terminal's own size: the picture is laid out for it. */
  readonly size: TerminalSize;
  /* The run gets this size as well, and its program will draw anew what it is drawing now. */
  readonly isRunResized: boolean;
}

export interface CaughtUp {
  /* Bytes that paint the screen on an empty one. */
  readonly picture: Picture;
  /* Where the output goes on. */
  readonly reached: Cursor | undefined;
}

export async function catchUp(options: CatchUpOptions): Promise<CaughtUp> {
  const { events, until, size, isRunResized } = options;
  const tracker = createModeTracker();
  const { model, reached } = await replayOutput({ events, until, tracker });
  // A shell draws its prompt again when the size changes, and expects the old one where the model leaves it then.
  if (isRunResized && !model.screen().isAlternate) model.resize(size);
  else await model.layOut(size);
  const picture = pictureOf(formatPicture(model, tracker), model.screen());
  model.close();
  return { picture, reached };
}

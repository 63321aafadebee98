/*
 * The bytes that paint a screen on an empty terminal: text and colours by the model, then the modes that the program has
 * switched on, which the model leaves out. The title is not part of it.
 */
import type { ModeTracker } from './mode-tracker.ts';
import type { TerminalModel } from './terminal-model.ts';

export function formatPicture(
  model: Pick<TerminalModel, 'serialize'>,
  tracker: Pick<ModeTracker, 'apply'>,
): string {
  return model.serialize() + tracker.apply();
}

/*
 * The door of tools for code that only needs a terminal: it loads nothing but small files of ours, and the model's parts
 * when the first one is opened. The main door brings schemas and protocols along.
 */
export { encodeKeys } from '../keys/encode-keys.ts';
export type { EncodedKeys, KeyInput, KeyModes, KeyProblem } from '../keys/encode-keys.ts';
export { encodePaste } from '../keys/paste.ts';
export type { PasteOptions } from '../keys/paste.ts';
export { openScreenFollower } from './follow-screen.ts';
export type { PaintedScreen, ScreenFollower, ScreenLook } from './follow-screen.ts';
export { formatPicture } from './format-picture.ts';
export { createModeTracker } from './mode-tracker.ts';
export type { ModeTracker } from './mode-tracker.ts';
export { openQueryAnswerer } from './query-answerer.ts';
export type { QueryAnswerer, QueryAnswererOptions } from './query-answerer.ts';
export { createQueryFilter } from './query-filter.ts';
export type { QueryFilter } from './query-filter.ts';
export { replayOutput } from './replay-output.ts';
export type { Replayed, ReplayOptions } from './replay-output.ts';
export { openTerminalModel } from './terminal-model.ts';
export type {
  Screen,
  TerminalModel,
  TerminalModelOptions,
  TerminalModes,
} from './terminal-model.ts';
export type { TerminalSize } from './terminal-size.ts';

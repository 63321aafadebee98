/*
 * The light door of tools: text and terminals. It loads nothing but small files of ours; the main door brings schemas
 * and protocols along, which cost a short command more time than all its own work.
 */
export { createTextCleaner } from '../output/clean-text.ts';
export type { TextCleaner } from '../output/clean-text.ts';
export { createCappedText } from '../output/capped-text.ts';
export type { CappedResult, CappedText } from '../output/capped-text.ts';
export {
  columnsOf,
  escapeCharacter,
  fitColumns,
  makeVisible,
  wrapWords,
} from '../output/visible-text.ts';

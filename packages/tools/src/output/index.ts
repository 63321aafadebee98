/*
 * The lightest door of tools: text that others wrote, made safe to show. Every command of the command line passes
 * through here, so it loads next to nothing; the main door brings schemas and protocols along.
 */
export { formatChanged } from './changed-text.ts';
export { formatGone } from './gone-text.ts';
export { columnsOf, cutColumns, fitColumns, makeVisible, wrapWords } from './visible-text.ts';

/*
 * The lightest door of tools: text that others wrote, made safe to show. Every command of the command line passes
 * through here, so it loads next to nothing; the main door brings schemas and protocols along.
 */
export { formatChanged } from './changed-text.ts';
export { formatGone } from './gone-text.ts';
export { makeVisible } from '@clawdfather/kit';
export { columnsOf, cutColumns, fitColumns, wrapWords } from './visible-text.ts';

/*
 * "Did you mean …?", as everything that is typed here asks it.
 */
export { suggestNearest } from '@clawdfather/kit';

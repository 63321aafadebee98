/*
 * The states of a run in the order in which they come, and those in which something of it may still happen.
 */
import type { RunState } from './types.ts';

/** A row of the registry has the number of its state in this list; 3 is the only one that is not live. */
export const runStates: readonly RunState[] = ['starting', 'running', 'exiting', 'exited'];
export const exitedNumber = 3;

export const liveRunStates: readonly RunState[] = runStates.slice(0, exitedNumber);

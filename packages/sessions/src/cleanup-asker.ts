/*
 * In whose name the clean-up acts.
 */
import type { Asker } from './decide-on.ts';

export const cleanupAsker: Asker = { actor: 'cleanup' };

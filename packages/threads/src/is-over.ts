/*
 * Whether a run cannot be commanded any more: it has ended, or is another owner's. Whoever reads it finds out which.
 */
import { hasCode } from '@clawdfather/kit';

export function isOver(error: unknown): boolean {
  return hasCode(error, 'not-running', 'epoch-stale', 'not-owner');
}

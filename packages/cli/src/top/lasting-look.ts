/*
 * Looks that go on while a gateway does not answer: it may be starting anew, or the network be gone. Until it answers, the look is
 * the last one, and says what is wrong.
 */
import { hasCode } from '@clawdfather/kit';
import type { Look } from './watch-runs.ts';

/* Of the client and of the API; they pass by themselves. */
const passing = [
  'gateway-unreachable',
  'rate_limited',
  'unavailable',
  'timeout',
  'internal_error',
] as const;

/* The first look fails as it does: an address that was never right is told at once. */
export function lastingLook(look: () => Promise<Look>): () => Promise<Look> {
  let last: Look | undefined;
  return async () => {
    try {
      last = await look();
      return last;
    } catch (error) {
      if (last === undefined || !hasCode(error, ...passing)) throw error;
      return { ...last, problem: error.message };
    }
  };
}

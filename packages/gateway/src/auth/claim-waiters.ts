/*
 * One request waits for a claim. A newer one ends it: a phone whose network changed asks again, and the request before is nobody's.
 *
 * The older one is refused rather than told to ask again: two pages of one browser would end each other for ever.
 */
import { ApiError } from '../http/api-error.ts';

export interface ClaimWaiters {
  wait<Value>(
    claimHash: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value>;
}

export function createClaimWaiters(): ClaimWaiters {
  const waiting = new Map<string, AbortController>();
  return {
    wait: async (claimHash, signal, work) => {
      waiting.get(claimHash)?.abort();
      const mine = new AbortController();
      waiting.set(claimHash, mine);
      try {
        return await work(AbortSignal.any([signal, mine.signal]));
      } catch (error) {
        if (!mine.signal.aborted) throw error;
        throw new ApiError('expired', 'another request waits with the same claim', {
          cause: error,
        });
      } finally {
        if (waiting.get(claimHash) === mine) waiting.delete(claimHash);
      }
    },
  };
}

/*
 * Streams that are open, by whose token: a revoked or expired one ends them within a second, and an account has a
 * limited number.
 */
import type { Clock } from '@clawdfather/kit';
import type { LiveTokens } from '../auth/live-tokens.ts';
import { createTokenWatch } from '../auth/token-watch.ts';
import { ApiError } from './api-error.ts';
import type { Caller } from './caller.ts';

export interface OpenStreams {
  /* Throws `rate_limited`. Call the result when the stream is over. */
  add(caller: Caller, drop: () => void): () => void;
}

export interface OpenStreamsDeps {
  readonly tokens: LiveTokens;
  readonly clock: Clock;
}

/* Enough for every tab and run of a busy person; beyond it a client does not close its streams. */
const streamsPerAccountMax = 100;

export function createOpenStreams({ tokens, clock }: OpenStreamsDeps): OpenStreams {
  // It has a timer only while there are streams, and those end with the server.
  const watch = createTokenWatch({ tokens, clock });
  const counts = new Map<string, number>();
  return {
    add: ({ accountId, id }, drop) => {
      const count = counts.get(accountId) ?? 0;
      if (count >= streamsPerAccountMax) {
        throw new ApiError('rate_limited', `${streamsPerAccountMax} streams are open already`, {
          headers: { 'retry-after': '1' },
        });
      }
      counts.set(accountId, count + 1);
      const stopWatching = watch.watch(id, drop);
      return () => {
        stopWatching();
        const left = (counts.get(accountId) ?? 1) - 1;
        if (left === 0) counts.delete(accountId);
        else counts.set(accountId, left);
      };
    },
  };
}

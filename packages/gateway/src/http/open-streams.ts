/*
 * Requests that stay open: event streams, long polls, starts that are waited for, MCP. An account has so many places for them
 * together, and a token that is revoked or has expired ends its own within a second.
 */
import type { Clock } from '@clawdfather/kit';
import type { AccountPlaces } from '../accounts/account-places.ts';
import type { LiveTokens } from '../auth/live-tokens.ts';
import { createTokenWatch } from '../auth/token-watch.ts';
import type { Caller } from './caller.ts';

export interface OpenStreams {
  /* Throws `rate_limited`. Call the result when the stream is over. */
  add(caller: Caller, drop: () => void): () => void;
  /* The same for what is answered once, by somebody who looks after the token. */
  whileOpen<Result>(caller: Caller, work: () => Promise<Result>): Promise<Result>;
}

export interface OpenStreamsDeps {
  readonly tokens: LiveTokens;
  readonly clock: Clock;
  readonly places: AccountPlaces;
}

export function createOpenStreams({ tokens, clock, places }: OpenStreamsDeps): OpenStreams {
  // It has a timer only while there are streams, and those end with the server.
  const watch = createTokenWatch({ tokens, clock });
  return {
    add: (caller, drop) => {
      const leave = places.take(caller);
      const stopWatching = watch.watch(caller.id, drop);
      return () => {
        stopWatching();
        leave();
      };
    },
    whileOpen: async (caller, work) => {
      const leave = places.take(caller);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

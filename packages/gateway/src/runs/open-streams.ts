/*
 * Streams that are open, by whose token: a revoked or expired one ends them within a second (checklist 3), and an account has so
 * many (checklist 20).
 *
 * One timer for all of them, and only while there are any: other gateways on the same database revoke too, and tell nobody.
 * Closing the server ends the streams, and with them the timer.
 */
import type { Clock, Log, Timer } from '@clawdfather/kit';
import type { LiveTokens } from '../auth/live-tokens.ts';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';

export interface OpenStreams {
  /* Throws `rate_limited`. Call the result when the stream is over. */
  add(caller: Caller, drop: () => void): () => void;
}

export interface OpenStreamsDeps {
  readonly tokens: LiveTokens;
  readonly clock: Clock;
  readonly log: Log;
}

interface OpenStream {
  readonly caller: Caller;
  readonly drop: () => void;
}

/* Every tab and every run of a busy person; beyond it somebody forgets to close. */
const streamsPerAccountMax = 100;
/* Twice a second, so that a revocation holds within one. */
const checkMs = 500;

export function createOpenStreams({ tokens, clock, log }: OpenStreamsDeps): OpenStreams {
  const streams = new Set<OpenStream>();
  let timer: Timer | undefined;

  const dropIf = (isOver: (stream: OpenStream) => boolean): void => {
    for (const stream of streams) {
      if (!isOver(stream)) continue;
      streams.delete(stream);
      stream.drop();
    }
  };
  tokens.onForgotten((id) => dropIf(({ caller }) => caller.id === id));

  const look = async (): Promise<void> => {
    const nowMs = clock.wallMs();
    dropIf(({ caller }) => caller.expiresAtMs <= nowMs);
    // Those that are gone are forgotten, and dropped above.
    await tokens.check([...new Set([...streams].map(({ caller }) => caller.id))]);
  };
  const arm = (): void => {
    if (timer !== undefined || streams.size === 0) return;
    timer = clock.timer(checkMs, () => {
      look()
        // The database is away for a moment; the next look is soon.
        .catch((error: unknown) => log.warn('streams.check-failed', { error }))
        .finally(() => {
          timer = undefined;
          arm();
        });
    });
    timer.unref();
  };

  return {
    add: (caller, drop) => {
      const { accountId } = caller;
      const mine = [...streams].filter((stream) => stream.caller.accountId === accountId);
      if (mine.length >= streamsPerAccountMax) {
        throw new ApiError('rate_limited', `${streamsPerAccountMax} streams are open already`, {
          headers: { 'retry-after': '1' },
        });
      }
      const stream = { caller, drop };
      streams.add(stream);
      arm();
      return () => void streams.delete(stream);
    },
  };
}

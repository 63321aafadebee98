/*
 * Sockets and streams live no longer than the token they were opened with. A revocation made here takes effect at once; one made by
 * another gateway on the same database, and the end of a token's time, are found by one query for all tokens that are watched.
 */
import type { Clock, Timer } from '@clawdfather/kit';
import type { LiveTokens } from './live-tokens.ts';

/* A revocation takes effect within a second, also one made by another gateway. */
const tokenCheckMs = 500;

export interface TokenWatch {
  /* Calls back once when the token is no longer valid. Call the result to stop. */
  watch(tokenId: string, onGone: () => void): () => void;
  close(): void;
}

export function createTokenWatch({
  tokens,
  clock,
}: {
  readonly tokens: Pick<LiveTokens, 'onForgotten' | 'check'>;
  readonly clock: Clock;
}): TokenWatch {
  const watched = new Map<string, Set<() => void>>();
  let timer: Timer | undefined;
  let isClosed = false;

  const stopListening = tokens.onForgotten((tokenId) => {
    const listeners = watched.get(tokenId);
    watched.delete(tokenId);
    for (const onGone of listeners ?? []) onGone();
  });

  const check = async (): Promise<void> => {
    timer = undefined;
    // Without a database nothing can be revoked either; the next look comes soon.
    await tokens.check([...watched.keys()]).catch(() => {});
    arm();
  };
  const arm = (): void => {
    if (timer !== undefined || watched.size === 0 || isClosed) return;
    timer = clock.timer(tokenCheckMs, () => void check());
    timer.unref();
  };

  return {
    watch: (tokenId, onGone) => {
      const listeners = watched.get(tokenId) ?? new Set();
      listeners.add(onGone);
      watched.set(tokenId, listeners);
      arm();
      return () => {
        listeners.delete(onGone);
        if (listeners.size === 0 && watched.get(tokenId) === listeners) watched.delete(tokenId);
      };
    },
    close: () => {
      isClosed = true;
      timer?.cancel();
      stopListening();
    },
  };
}

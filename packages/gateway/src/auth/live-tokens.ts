/*
 * Tokens that were looked up a moment ago.
 *
 * A phone asks several times a second, and each time the answer is the same. What was found is believed for half a second, so
 * that a revocation, here or on another gateway of the same database, holds within a second. A revocation made
 * here is forgotten at once.
 *
 * Whoever holds something open for a token, such as a socket, listens to what is forgotten, and for the sake of other gateways
 * calls `check` for the tokens it holds open, twice a second.
 */
import { type Clock, makeRoom } from '@clawdfather/kit';
import type { Store, TokenHolder } from '@clawdfather/store';

export interface LiveTokens {
  /* Without looking: what was found a moment ago, if anything. */
  peek(tokenHash: string): TokenHolder | undefined;
  find(tokenHash: string): Promise<TokenHolder | undefined>;
  /* The device's or token's id: nothing found under it is believed any longer. */
  forget(id: string): void;
  /* Told of every id that is forgotten, after nothing believes in it any longer. Call the result to stop listening. */
  onForgotten(listener: (id: string) => void): () => void;
  /* One query for all: those that were revoked, have expired or whose account is disabled are forgotten, and returned. */
  check(ids: readonly string[]): Promise<readonly string[]>;
}

const believedMs = 500;
/* Many more than come within half a second; beyond it the oldest go. */
const entriesMax = 10_000;

interface Entry {
  readonly holder: TokenHolder;
  readonly untilMs: number;
}

export function createLiveTokens({ store, clock }: { store: Store; clock: Clock }): LiveTokens {
  const entries = new Map<string, Entry>();
  const listeners = new Set<(id: string) => void>();
  /* A revocation that comes while we look must not be overtaken by what the look found. */
  let revocations = 0;

  const forget = (id: string): void => {
    revocations += 1;
    for (const [tokenHash, { holder }] of entries) {
      if (holder.id === id) entries.delete(tokenHash);
    }
    for (const listener of listeners) listener(id);
  };

  const peek = (tokenHash: string): TokenHolder | undefined => {
    const known = entries.get(tokenHash);
    return known !== undefined && clock.monotonicMs() < known.untilMs ? known.holder : undefined;
  };

  return {
    peek,
    find: async (tokenHash) => {
      const known = peek(tokenHash);
      if (known !== undefined) return known;
      const nowMs = clock.monotonicMs();
      const before = revocations;
      entries.delete(tokenHash);
      const holder = await store.system.tokens.find(tokenHash);
      if (holder === undefined || before !== revocations) return holder;
      makeRoom(entries, entriesMax);
      entries.set(tokenHash, { holder, untilMs: nowMs + believedMs });
      return holder;
    },
    forget,
    onForgotten: (listener) => {
      // A listener given twice is called twice, and each goes by itself.
      const own = (id: string): void => listener(id);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    check: async (ids) => {
      if (ids.length === 0) return [];
      const good = await store.system.tokens.stillGood(ids);
      const gone = ids.filter((id) => !good.has(id));
      for (const id of gone) forget(id);
      return gone;
    },
  };
}

/*
 * Tokens that were looked up a moment ago.
 *
 * A phone sends several requests a second with the same token. The result of a look-up is used again for half a second, so a
 * revocation, here or on another gateway of the same database, takes effect within a second. A revocation made here takes effect
 * at once.
 *
 * Code that holds something open for a token, such as a socket, listens for tokens that are forgotten. For revocations by other
 * gateways it calls `check` for those tokens twice a second.
 */
import { type Clock, makeRoom } from '@clawdfather/kit';
import type { Store, TokenHolder } from '@clawdfather/store';

export interface LiveTokens {
  /* What was found a moment ago, if anything; asks no database. */
  peek(tokenHash: string): TokenHolder | undefined;
  find(tokenHash: string): Promise<TokenHolder | undefined>;
  /* Forgets what was found for this device or token. */
  forget(id: string): void;
  /* Called with every id that is forgotten, after it was forgotten. Call the result to stop listening. */
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
  /* A revocation that comes during a look-up must not be undone by the result of that look-up. */
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

/*
 * Tokens that were looked up a moment ago.
 *
 * A phone asks several times a second, and each time the answer is the same. What was found is believed for half a second, so
 * that a revocation, here or on another gateway of the same database, holds within a second (contract). A revocation made
 * here is forgotten at once.
 */
import type { Clock } from '@clawdfather/kit';
import type { Store, TokenHolder } from '@clawdfather/store';

export interface LiveTokens {
  find(tokenHash: string): Promise<TokenHolder | undefined>;
  /* The device's or token's id: nothing found under it is believed any longer. */
  forget(id: string): void;
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
  /* A revocation that comes while we look must not be overtaken by what the look found. */
  let revocations = 0;
  return {
    find: async (tokenHash) => {
      const nowMs = clock.monotonicMs();
      const known = entries.get(tokenHash);
      if (known !== undefined && nowMs < known.untilMs) return known.holder;
      const before = revocations;
      entries.delete(tokenHash);
      const holder = await store.system.tokens.find(tokenHash);
      if (holder === undefined || before !== revocations) return holder;
      if (entries.size >= entriesMax) entries.delete(entries.keys().next().value ?? '');
      entries.set(tokenHash, { holder, untilMs: nowMs + believedMs });
      return holder;
    },
    forget: (id) => {
      revocations += 1;
      for (const [tokenHash, { holder }] of entries) {
        if (holder.id === id) entries.delete(tokenHash);
      }
    },
  };
}

/*
 * What the agent asks in a thread, as long as it is shown. A card that somebody else has decided stays until its turn ends, and says by whom
 * and when: it does not vanish under the finger of who is reading it.
 */
import type { Ask } from '../text/thread-words.ts';

export interface ShownAsks {
  /* The cards to show now. `open`: what is asked now; `runningTurnId`: of the turn that runs. */
  next(open: readonly Ask[], runningTurnId: string | undefined): Promise<readonly Ask[]>;
  /* Decided here: its card has said so, and goes. */
  decidedHere(id: string): void;
}

export function createShownAsks(read: (id: string) => Promise<Ask>): ShownAsks {
  const shown = new Map<string, Ask>();
  const nowOf = async (ask: Ask): Promise<Ask> => {
    if (ask.state !== 'open') return ask;
    // What cannot be read again stays as it was; the next look asks again.
    return read(ask.id).catch(() => ask);
  };
  return {
    next: async (open, runningTurnId) => {
      const isOpen = new Set(open.map(({ id }) => id));
      for (const [id, ask] of shown) {
        if (isOpen.has(id)) continue;
        if (ask.turn_id === runningTurnId) shown.set(id, await nowOf(ask));
        else shown.delete(id);
      }
      for (const ask of open) shown.set(ask.id, ask);
      return [...shown.values()];
    },
    decidedHere: (id) => {
      shown.delete(id);
    },
  };
}

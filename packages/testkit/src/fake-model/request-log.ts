/*
 * What has reached the model, in order: which nonce, in which round, and how the answer ended.
 *
 * Agents also ask for titles, summaries and routes. Such a request offers no shell tool, so it is a side request; it may carry
 * the prompt and its nonce, and does not count as the turn's.
 */
import { createWaiters } from '@clawdfather/kit';

export interface ModelRequestEntry {
  readonly serial: number;
  readonly wire: string;
  readonly path: string;
  readonly model: string;
  /** The newest one in what the person said. */
  readonly nonce: string | undefined;
  /** All of them, oldest first: the turns that the agent remembers. */
  readonly nonces: readonly string[];
  /** How many tool results came after the nonce. */
  readonly round: number;
  readonly toolResults: readonly string[];
  readonly tools: readonly string[];
  readonly isSide: boolean;
  /** Which attempt it is, where its client says so: 0 is the first. */
  readonly attempt: number;
  /** The beginning of the newest thing that was said, and by whom. */
  readonly newest: string;
  readonly outcome: 'open' | 'finished' | 'aborted' | 'refused';
}

export interface RequestLog {
  readonly all: readonly ModelRequestEntry[];
  /** Requests of the turn with this nonce, side requests left out. A turn without tools has exactly one. */
  of(nonce: string): readonly ModelRequestEntry[];
  /** Resolves with the first entry that fits, also a past one. */
  until(
    fits: (entry: ModelRequestEntry) => boolean,
    signal?: AbortSignal,
  ): Promise<ModelRequestEntry>;
}

export interface WritableRequestLog extends RequestLog {
  add(entry: Omit<ModelRequestEntry, 'serial' | 'outcome'>): number;
  settle(serial: number, outcome: ModelRequestEntry['outcome']): void;
}

export function createRequestLog(): WritableRequestLog {
  const all: ModelRequestEntry[] = [];
  const waiters = createWaiters();
  return {
    all,
    of: (nonce) => all.filter((entry) => entry.nonce === nonce && !entry.isSide),
    until: async (fits, signal) => {
      for (;;) {
        const found = all.find(fits);
        if (found !== undefined) return found;
        await waiters.wait(signal);
      }
    },
    add: (entry) => {
      const serial = all.length;
      all.push({ ...entry, serial, outcome: 'open' });
      waiters.wakeAll();
      return serial;
    },
    settle: (serial, outcome) => {
      const entry = all[serial];
      if (entry === undefined) return;
      all[serial] = { ...entry, outcome };
      waiters.wakeAll();
    },
  };
}

/*
 * Tells those who follow a thread that it has changed, after the change is stored. Whoever is told reads from the database by its own
 * position, so a follower that was told too late, or twice, misses and repeats nothing.
 */
import type { EventRow } from '@clawdfather/agents';

export interface ThreadNews {
  readonly threadId: string;
  /* The number of its newest event. */
  readonly lastSeq: number;
  /* What was added now; empty where another process has added it. */
  readonly events: readonly EventRow[];
}

export interface EventDesk {
  announce(news: ThreadNews): void;
  /* Until the returned function is called. */
  follow(threadId: string, listener: (news: ThreadNews) => void): () => void;
  /* Of every thread. */
  followAll(listener: (news: ThreadNews) => void): () => void;
}

export function createEventDesk(): EventDesk {
  const all = new Set<(news: ThreadNews) => void>();
  const byThread = new Map<string, Set<(news: ThreadNews) => void>>();
  return {
    announce: (news) => {
      for (const listener of byThread.get(news.threadId) ?? []) listener(news);
      for (const listener of all) listener(news);
    },
    follow: (threadId, listener) => {
      const listeners = byThread.get(threadId) ?? new Set();
      byThread.set(threadId, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) byThread.delete(threadId);
      };
    },
    followAll: (listener) => {
      all.add(listener);
      return () => all.delete(listener);
    },
  };
}

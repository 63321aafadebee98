/*
 * The open sessions that sockets show. Each is read twice a second, however many sockets show it, because any gateway of the
 * database may close it.
 */
import type { Clock, Timer } from '@clawdfather/kit';
import type { AccountId, Session, Store } from '@clawdfather/store';
import { sessionLookMs } from './limits.ts';

export interface SessionWatch {
  /* Calls back at every look until the session has ended, the last time with its end, unless the returned function was called before. */
  untilEnded(
    accountId: AccountId,
    sessionId: string,
    onLook: (session: Session) => void,
  ): () => void;
  close(): void;
}

interface Entry {
  readonly accountId: AccountId;
  readonly sessionId: string;
  readonly listeners: Set<(session: Session) => void>;
  timer: Timer | undefined;
}

export function createSessionWatch({
  store,
  clock,
}: {
  readonly store: Store;
  readonly clock: Clock;
}): SessionWatch {
  const entries = new Map<string, Entry>();
  let isClosed = false;

  const look = async (key: string, entry: Entry): Promise<void> => {
    const { accountId, sessionId, listeners } = entry;
    // A database that is away for a moment is asked again at the next look.
    const session = await store
      .forAccount(accountId)
      .sessions.get(sessionId)
      .catch(() => undefined);
    if (listeners.size === 0) return;
    if (session?.endedAtMs === undefined) arm(key, entry);
    else entries.delete(key);
    if (session === undefined) return;
    for (const listener of listeners) listener(session);
  };

  const arm = (key: string, entry: Entry): void => {
    if (isClosed) return;
    entry.timer = clock.timer(sessionLookMs, () => void look(key, entry));
    entry.timer.unref();
  };

  return {
    untilEnded: (accountId, sessionId, onLook) => {
      const key = `${accountId}/${sessionId}`;
      const known = entries.get(key);
      const entry = known ?? { accountId, sessionId, listeners: new Set(), timer: undefined };
      entry.listeners.add(onLook);
      if (known === undefined) {
        entries.set(key, entry);
        arm(key, entry);
      }
      return () => {
        entry.listeners.delete(onLook);
        if (entry.listeners.size > 0) return;
        entry.timer?.cancel();
        if (entries.get(key) === entry) entries.delete(key);
      };
    },
    close: () => {
      isClosed = true;
      for (const { timer } of entries.values()) timer?.cancel();
      entries.clear();
    },
  };
}

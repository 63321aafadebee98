/*
 * Sessions that somebody follows, each looked at twice a second however many sockets follow it: for events that are new,
 * whichever gateway stored them, and for its end.
 */
import type { Clock, Timer } from '@clawdfather/kit';
import type { AccountId, Session, Store } from '@clawdfather/store';
import { sessionLookMs } from './limits.ts';

export interface SessionLook {
  readonly session: Session;
  /* Newest first, with the number of the last event of each. */
  readonly threads: readonly { readonly id: string; readonly lastSeq: number }[];
}

export interface WatchedSession {
  readonly look: SessionLook;
  close(): void;
}

export interface SessionWatch {
  /* `undefined`: there is no such session, or none of this account. */
  watch(
    accountId: AccountId,
    sessionId: string,
    onChange: (look: SessionLook) => void,
  ): Promise<WatchedSession | undefined>;
  close(): void;
}

interface Entry {
  look: SessionLook;
  timer: Timer | undefined;
  readonly listeners: Set<(look: SessionLook) => void>;
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

  const lookAgain = async (accountId: AccountId, entry: Entry): Promise<void> => {
    // A database that is away for a moment is looked at again with the next beat.
    const look = await lookAt(store, accountId, entry.look.session.id).catch(() => undefined);
    if (entry.listeners.size === 0) return;
    if (look !== undefined && hasChanged(entry.look, look)) {
      entry.look = look;
      for (const listener of entry.listeners) listener(look);
    }
    arm(accountId, entry);
  };

  const arm = (accountId: AccountId, entry: Entry): void => {
    if (isClosed) return;
    entry.timer = clock.timer(sessionLookMs, () => void lookAgain(accountId, entry));
    entry.timer.unref();
  };

  return {
    watch: async (accountId, sessionId, onChange) => {
      const key = `${accountId}/${sessionId}`;
      const look = await lookAt(store, accountId, sessionId);
      if (look === undefined) return undefined;
      const known = entries.get(key);
      const entry = known ?? { look, timer: undefined, listeners: new Set() };
      entry.listeners.add(onChange);
      if (known === undefined) {
        entries.set(key, entry);
        arm(accountId, entry);
      }
      return {
        look,
        close: () => {
          entry.listeners.delete(onChange);
          if (entry.listeners.size > 0) return;
          entry.timer?.cancel();
          if (entries.get(key) === entry) entries.delete(key);
        },
      };
    },
    close: () => {
      isClosed = true;
      for (const { timer } of entries.values()) timer?.cancel();
      entries.clear();
    },
  };
}

/* More threads than a session has in use; older ones have nothing new. */
const threadsMax = 20;

async function lookAt(
  store: Store,
  accountId: AccountId,
  sessionId: string,
): Promise<SessionLook | undefined> {
  const mine = store.forAccount(accountId);
  const session = await mine.sessions.get(sessionId);
  if (session === undefined) return undefined;
  const { items } = await mine.threads.list({ sessionId, limit: threadsMax });
  return { session, threads: items.map(({ id, lastSeq }) => ({ id, lastSeq })) };
}

function hasChanged(before: SessionLook, after: SessionLook): boolean {
  return (
    before.session.status !== after.session.status ||
    before.threads.length !== after.threads.length ||
    before.threads.some(({ id, lastSeq }, index) => {
      const other = after.threads[index];
      return other?.id !== id || other.lastSeq !== lastSeq;
    })
  );
}

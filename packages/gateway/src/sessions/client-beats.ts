/*
 * The client's clock: any call that names a session shows that it is in use.
 *
 * A phone names its session several times a second and the limit is minutes, so of one session at most one beat in half a
 * minute is written. No request waits for a beat, and a beat that fails is repeated by the next.
 */
import { type Clock, type Log, makeRoom } from '@clawdfather/kit';
import type { AccountId, Store } from '@clawdfather/store';

export interface ClientBeats {
  seen(accountId: AccountId, sessionId: string): void;
}

export interface ClientBeatsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

const writeEveryMs = 30_000;
/* Many more than are open at once; beyond it the oldest are forgotten, which costs one more write. */
const sessionsMax = 10_000;

export function createClientBeats({ store, clock, log }: ClientBeatsDeps): ClientBeats {
  const writtenAtMs = new Map<string, number>();
  return {
    seen: (accountId, sessionId) => {
      const key = `${accountId}/${sessionId}`;
      const nowMs = clock.monotonicMs();
      const lastMs = writtenAtMs.get(key);
      if (lastMs !== undefined && nowMs - lastMs < writeEveryMs) return;
      writtenAtMs.delete(key);
      makeRoom(writtenAtMs, sessionsMax);
      writtenAtMs.set(key, nowMs);
      store
        .forAccount(accountId)
        .sessions.clientSeen(sessionId)
        .catch((error: unknown) => {
          writtenAtMs.delete(key);
          log.warn('session.beat-missed', {
            component: 'session',
            session_lease_id: sessionId,
            error,
          });
        });
    },
  };
}

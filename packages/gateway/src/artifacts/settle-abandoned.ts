/*
 * Looks of gateways that have not come back: the directories are on their machines, so nobody else can look. After a day any gateway of the same
 * database says that what the turn has left is missing, and why. Should the gateway come back after all, it finds nothing to do (AS2).
 */
import type { Clock, Log } from '@clawdfather/kit';
import type { Store } from '@clawdfather/store';
import type { Threads } from '@clawdfather/threads';
import { abandonedMs } from './limits.ts';
import { nothing } from './sync-artifacts.ts';

export interface AbandonedDeps {
  readonly store: Store;
  readonly threads: Pick<Threads, 'keepArtifacts'>;
  readonly instanceId: string;
  readonly clock: Clock;
  readonly log: Log;
}

export async function settleAbandoned(deps: AbandonedDeps): Promise<void> {
  const { store, threads, instanceId, clock, log } = deps;
  const askedBeforeMs = clock.wallMs() - abandonedMs;
  const abandoned = await store.system.artifacts.abandoned({ instanceId, askedBeforeMs });
  for (const { accountId, threadId, turnId } of abandoned) {
    try {
      await threads.keepArtifacts({ accountId, id: threadId }, nothing(turnId, 'unreachable'));
    } catch (error) {
      // The others are not to wait for it; the next time is in an hour.
      log.warn('artifacts.sync-failed', { threadId, turnId, error });
    }
  }
}

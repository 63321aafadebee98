/*
 * What the steps of the clean-up share.
 */
import type { Clock, Log } from '@clawdfather/kit';
import type { AuditEntry, Store } from '@clawdfather/store';
import type { Supervisor } from '@clawdfather/supervisor';
import type { Instance } from '../sessions/instance.ts';
import type { SessionKeeper } from '../sessions/session-keeper.ts';
import type { SessionObserver } from '../sessions/session-observer.ts';
import type { SessionRuns } from '../sessions/session-runs.ts';
import type { CleanupObserver } from './cleanup-observer.ts';

export interface CleanupDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly instance: Instance;
  readonly runs: SessionRuns;
  readonly supervisor: Pick<Supervisor, 'reconcile' | 'gc'>;
  readonly keeper: SessionKeeper;
  readonly observer: CleanupObserver;
  readonly sessionObserver: SessionObserver;
}

export const cleanupActor = 'cleanup';

export function cleanupAudit(action: string, detail?: AuditEntry['detail']): AuditEntry {
  return { action, actor: cleanupActor, ...(detail === undefined ? {} : { detail }) };
}

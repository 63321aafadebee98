/*
 * Leases of connections that were removed (lease-files.ts): nothing leads to those hosts any more, so what may run there cannot be ended and
 * is dropped from the list, with a line in the log that names it. At the removal, and with each clean-up for what a kill cut off.
 *
 * A connection is removed only when it has no open session. One whose last session is just ending is left alone: that end sweeps its host.
 */
import type { Log } from '@clawdfather/kit';
import { parseAccountId, type Store } from '@clawdfather/store';
import type { HostSessions } from './host-sessions.ts';
import type { LeaseFiles } from './lease-files.ts';

export interface ForgetDeps {
  readonly store: Store;
  readonly log: Log;
  readonly leases: Pick<LeaseFiles, 'connections' | 'list' | 'drop'>;
  readonly hosts: Pick<HostSessions, 'reaches'>;
}

export async function forgetRemoved(deps: ForgetDeps): Promise<void> {
  const { leases, hosts, log } = deps;
  for (const connectionId of await leases.connections()) {
    if (hosts.reaches(connectionId) || (await isThere(deps, connectionId))) continue;
    for (const { kind, id } of await leases.list(connectionId)) {
      log.warn('ssh.lease-dropped', { component: 'ssh', connection_id: connectionId, kind, id });
    }
    await leases.drop(connectionId);
  }
}

async function isThere({ store }: ForgetDeps, connectionId: string): Promise<boolean> {
  for (const { id } of await store.system.accounts.list()) {
    const { connections } = store.forAccount(parseAccountId(id));
    if ((await connections.get(connectionId)) !== undefined) return true;
  }
  return false;
}

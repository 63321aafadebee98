/*
 * The host that a list of runs is asked for, by its label or id.
 */
import type { AccountId, Store } from '@clawdfather/store';
import { localHost } from '@clawdfather/supervisor/origins';
import { ApiError } from '../http/api-error.ts';
import { findConnection } from '../hosts/remote-hosts.ts';
import type { HostFilter } from './list-runs.ts';

/* Throws `validation_error`, as a start on a host that is not there does. */
export async function findHost(
  store: Store,
  accountId: AccountId,
  idOrLabel: string,
): Promise<HostFilter> {
  if (idOrLabel === localHost) return { id: localHost, name: localHost };
  const connection = await findConnection(store, accountId, idOrLabel);
  if (connection !== undefined) return { id: connection.id, name: connection.label };
  throw new ApiError('validation_error', `no host is called ${JSON.stringify(idOrLabel)}`, {
    detail: { reason: 'unknown-host' },
    hint: 'Use "local", or the id or label of a connection.',
  });
}

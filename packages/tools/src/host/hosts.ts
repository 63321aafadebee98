/*
 * The hosts that commands of an account can run on, found by id or label. This machine is always one of them.
 */
import type { HostPort, RemoteHosts } from '@clawdfather/supervisor';
import { localHost } from '@clawdfather/supervisor/origins';
import { ToolsError } from '../errors.ts';

export interface Hosts {
  /* Throws `unknown-host`. */
  find(account: string, idOrLabel: string, signal: AbortSignal): Promise<HostPort>;
}

export function createHosts(local: HostPort, remote: RemoteHosts | undefined): Hosts {
  return {
    find: async (account, idOrLabel, signal) => {
      if (idOrLabel === localHost) return local;
      const found = await remote?.find(account, idOrLabel, signal);
      if (found !== undefined) return found;
      const others = (await remote?.idsOf(account, signal)) ?? [];
      throw new ToolsError('unknown-host', `no host is called ${JSON.stringify(idOrLabel)}`, {
        detail: { known: [localHost, ...others] },
        hint: 'Use "local", or the id or label of a connection.',
      });
    },
  };
}

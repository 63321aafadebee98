/*
 * The hosts commands can run on, found by id or label. `local` is always there.
 */
import { ToolsError } from '../errors.ts';
import type { HostPort } from './host-port.ts';

export interface Hosts {
  /* Throws `unknown-host`. */
  find(idOrLabel: string): HostPort;
}

export function createHosts(local: HostPort, remote: readonly HostPort[]): Hosts {
  const all = [local, ...remote];
  return {
    find: (idOrLabel) => {
      const found =
        all.find((host) => host.id === idOrLabel) ??
        remote.find((host) => host.labels?.includes(idOrLabel));
      if (found !== undefined) return found;
      throw new ToolsError('unknown-host', `no host is called ${JSON.stringify(idOrLabel)}`, {
        detail: { known: all.map((host) => host.id) },
        hint: 'Use "local", or the id or label of a connection.',
      });
    },
  };
}

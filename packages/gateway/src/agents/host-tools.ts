/*
 * What an agent on a host may ask us to do there (W14): files and terminals, in its own session, under the policy of the host.
 */
import type { AccountId } from '@clawdfather/kit';
import type { Store } from '@clawdfather/store';
import type { RemoteHosts, Supervisor } from '@clawdfather/supervisor';
import type { HostTools } from '@clawdfather/threads';
import { ToolsError } from '@clawdfather/tools';
import type { RunsConfig } from '../gateway-config.ts';
import type { AgentPlaces } from '../hosts/agent-places.ts';
import { hashOnHost, readOnHost, type RunShort, writeOnHost } from '../hosts/host-files.ts';
import { createHostTerminals } from './host-terminals.ts';

export interface HostToolsDeps {
  readonly store: Store;
  readonly supervisor: Supervisor;
  readonly remoteHosts: RemoteHosts;
  readonly hosts: Pick<AgentPlaces, 'runShort'>;
  readonly agentPolicy: RunsConfig['agentPolicy'];
}

export interface ToolsPlace {
  readonly accountId: AccountId;
  readonly connectionId: string;
  readonly threadId: string;
  readonly sessionId: string;
  readonly cwd: string;
}

export function createHostTools(deps: HostToolsDeps, place: ToolsPlace): HostTools {
  const { store, supervisor, remoteHosts, hosts, agentPolicy } = deps;
  const { accountId, connectionId, sessionId } = place;
  const run: RunShort = (command) => hosts.runShort(sessionId, command);
  const terminals = createHostTerminals({
    ...place,
    supervisor,
    host: async () => {
      const { signal } = new AbortController();
      const host = await remoteHosts.find(accountId, connectionId, signal);
      if (host !== undefined) return host;
      throw new ToolsError('unknown-host', 'the SSH host of this thread is not there any more');
    },
  });
  return {
    ...terminals,
    // As for what agents here run there (docs/ssh.md): a person may change it at any time.
    judge: async () => {
      const connection = await store.forAccount(accountId).connections.get(connectionId);
      if (connection === undefined || agentPolicy.security === 'deny') return 'deny';
      return connection.policy === 'full' ? 'allow' : 'ask';
    },
    read: (path) => readOnHost(run, path),
    hashOf: (path) => hashOnHost(run, path),
    write: (file) => writeOnHost(run, file),
  };
}

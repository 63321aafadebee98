/*
 * Whose eyes a thread's directory is looked at with: those of the user that its agent ran as, on the machine that it ran on.
 */
import type { ThreadRow } from '@clawdfather/agents';
import type { AccountId } from '@clawdfather/kit';
import type { HostUser } from '@clawdfather/supervisor';
import type { AgentPlaces } from '../hosts/agent-places.ts';
import type { Runs } from '../runs/open-runs.ts';
import { type ArtifactTree, TreeError } from './artifact-tree.ts';
import { createLocalTree } from './local-tree.ts';
import { createShellHere } from './shell-here.ts';
import { createShellTree } from './shell-tree.ts';

export interface TreesDeps {
  readonly runs: Pick<Runs, 'users'>;
  readonly hosts: { readonly agents: Pick<AgentPlaces, 'streamShort'> };
}

/* Throws a `TreeError`. */
export type TreeOf = (accountId: AccountId, thread: ThreadRow) => Promise<ArtifactTree>;

export function createTrees({ runs, hosts }: TreesDeps): TreeOf {
  return async (accountId, { connectionId, sessionId, cwd: directory }) => {
    if (connectionId !== undefined) {
      if (sessionId === undefined) throw new TreeError('unreachable');
      const onHost = { directory, isLoose: true };
      return createShellTree((run) => hosts.agents.streamShort(sessionId, run), onHost);
    }
    const user = userOf(runs, accountId);
    if (user === undefined) return createLocalTree(directory);
    return createShellTree(createShellHere(user), { directory, isLoose: false });
  };
}

/* Undefined: the one that this gateway runs as. */
function userOf({ users }: Pick<Runs, 'users'>, accountId: AccountId): HostUser | undefined {
  try {
    return users.of(accountId);
  } catch (error) {
    // It runs nothing here any more, and nothing is read for it.
    throw new TreeError('not-allowed', { cause: error });
  }
}

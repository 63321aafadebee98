/*
 * Whose eyes a thread's directory is looked at with: those of the user that its agent ran as, on the machine that it ran on.
 */
import type { ThreadRow } from '@clawdfather/agents';
import type { AccountId } from '@clawdfather/kit';
import type { HostUser } from '@clawdfather/supervisor';
import type { Runs } from '../runs/open-runs.ts';
import { type ArtifactTree, TreeError } from './artifact-tree.ts';
import { createLocalTree } from './local-tree.ts';

export interface TreesDeps {
  readonly runs: Pick<Runs, 'users'>;
}

/* Throws a `TreeError`. */
export type TreeOf = (accountId: AccountId, thread: ThreadRow) => Promise<ArtifactTree>;

export function createTrees({ runs }: TreesDeps): TreeOf {
  return async (accountId, { connectionId, cwd }) => {
    if (connectionId !== undefined) throw new TreeError('not-allowed');
    if (userOf(runs, accountId) !== undefined) throw new TreeError('not-allowed');
    return createLocalTree(cwd);
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

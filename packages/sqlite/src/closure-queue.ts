/*
 * A commit queue whose writes are closures that run at once, without a promise: the cheapest kind.
 */
import { commitClosures } from './commit-closures.ts';
import { type CommitQueue, createCommitQueue } from './commit-queue.ts';
import type { LockWaiting } from './lock-retry.ts';
import type { ConnectionStatements } from './statements.ts';

export interface ClosureQueueDeps extends LockWaiting {
  readonly statements: ConnectionStatements;
  readonly onCommit: () => void;
}

export interface ClosureQueue extends Omit<CommitQueue<never>, 'write'> {
  write<Value>(work: () => Value): Promise<Value>;
}

export function createClosureQueue(deps: ClosureQueueDeps): ClosureQueue {
  const queue = createCommitQueue<() => unknown>({
    ...deps,
    commit: (queued) => commitClosures(deps, queued),
  });
  return {
    ...queue,
    // The queue holds closures of every type; each one's value goes to its own promise.
    write: <Value>(work: () => Value) => queue.write(work) as Promise<Value>,
  };
}

/*
 * A run's commits to the registry, in order, each tried until it is in or the run is no longer ours.
 *
 * The journal is the truth and the registry its index, so a commit that fails (a busy or full database) is no
 * reason to end a run (S1): it is tried again with growing pauses. `finalise` tells its caller after the first
 * attempt whatever its outcome, because a wait must not hang on a full disk.
 *
 * A short command is over before its start is in the registry: then one commit says it all, and the steps before it are
 * left out.
 */
import { type Clock, hasCode } from '@clawdfather/kit';
import { SupervisorError } from '../../errors.ts';
import type { StartedProcess } from '../../lifecycle/run-lifecycle.ts';
import { commitRetryMs, commitRetryMsMax } from '../../limits.ts';
import type { RunKey } from '../../registry/fence.ts';
import type { TreeGone } from '../../registry/run-changes.ts';
import type { Registry, RegistryTransaction } from '../../registry/registry.ts';
import type { Settlement } from '../../registry/run-writes.ts';

export interface RunCommits {
  running(process: StartedProcess, done: () => void): void;
  exiting(): void;
  finalise(settlement: Settlement, told: () => void): void;
  treeGone(gone: TreeGone): void;
}

export interface RunCommitsDeps {
  readonly registry: Pick<Registry, 'write'>;
  readonly key: RunKey;
  readonly clock: Clock;
  readonly onStolen: (error: SupervisorError) => void;
  readonly onFailed: (error: unknown) => void;
}

interface CommitNews {
  readonly onDone?: () => void;
  /* Committed or not. */
  readonly onFirstTry?: () => void;
}

export function createRunCommits(deps: RunCommitsDeps): RunCommits {
  const { registry, key, clock } = deps;

  const commit = async (
    work: (transaction: RegistryTransaction) => unknown,
    { onDone, onFirstTry }: CommitNews = {},
  ): Promise<void> => {
    let isFirst = true;
    for (let pauseMs = commitRetryMs; ; pauseMs = Math.min(pauseMs * 2, commitRetryMsMax)) {
      try {
        await registry.write(work);
        if (isFirst) onFirstTry?.();
        return onDone?.();
      } catch (error) {
        if (error instanceof SupervisorError && isForgotten(error)) {
          deps.onStolen(error);
          return;
        }
        if (hasCode(error, 'registry-closed')) return;
        deps.onFailed(error);
      }
      if (isFirst) onFirstTry?.();
      isFirst = false;
      await clock.sleep(pauseMs);
    }
  };

  /* Known and not yet committed. */
  let started: StartedProcess | undefined;
  let isOver = false;

  return {
    running: (process, onDone) => {
      started = process;
      const work = (tx: RegistryTransaction): unknown =>
        isOver || tx.markRunning(key, process, process.startedAtMs ?? clock.wallMs());
      const isDone = (): void => {
        if (!isOver) started = undefined;
        onDone();
      };
      void commit(work, { onDone: isDone });
    },
    exiting: () => void commit((tx) => isOver || tx.markExiting(key)),
    finalise: (settlement, onFirstTry) => {
      isOver = true;
      const whole = { ...settlement, process: started };
      void commit((tx) => tx.finalise(key, whole), { onFirstTry });
    },
    treeGone: (gone) => void commit((tx) => tx.markTreeGone(key, gone)),
  };
}

/* Another owner has the run, or it was forgotten: nothing of ours is wanted any more. */
function isForgotten(error: SupervisorError): boolean {
  return error.code === 'epoch-stale' || error.code === 'run-not-found';
}

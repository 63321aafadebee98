/*
 * The owner's lease (O1): one per process, renewed every few seconds, lost when another owner takes over.
 *
 * A process that was frozen past its lease learns it here, at its next beat, before or after its commands are
 * refused by shims and registry (idea 3). It then starts anew under the next generation.
 */
import { type Clock, hasCode, type Timer } from '@clawdfather/kit';
import { heartbeatMs } from '../limits.ts';
import type { OwnerHandle } from '../registry/owners.ts';
import type { Registry } from '../registry/registry.ts';

export interface LeaseKeeperDeps {
  readonly registry: Pick<Registry, 'heartbeat'>;
  readonly clock: Clock;
  readonly owner: () => OwnerHandle;
  readonly onLost: () => Promise<void>;
  /* The lease is ours for another while. */
  readonly onBeat: () => Promise<void>;
  /* The database did not take it; the next beat may. */
  readonly onMissed: (error: unknown) => void;
}

export interface LeaseKeeper {
  /* Resolves when no beat is under way any more. */
  stop(): Promise<void>;
}

export function startLeaseKeeper(deps: LeaseKeeperDeps): LeaseKeeper {
  let timer: Timer | undefined;
  let isStopped = false;
  let beating: Promise<void> = Promise.resolve();

  const beat = async (): Promise<void> => {
    try {
      await deps.registry.heartbeat(deps.owner());
      await deps.onBeat();
    } catch (error) {
      if (isStopped) return;
      if (hasCode(error, 'lease-lost')) await deps.onLost().catch(deps.onMissed);
      else deps.onMissed(error);
    }
  };
  const arm = (): void => {
    if (isStopped) return;
    timer = deps.clock.timer(heartbeatMs, () => {
      beating = beat().then(arm);
    });
    timer.unref();
  };

  arm();
  return {
    stop: async () => {
      isStopped = true;
      timer?.cancel();
      await beating;
    },
  };
}

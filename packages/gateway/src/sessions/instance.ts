/*
 * This gateway's row among the gateways of the database, and whether a newer one has replaced it.
 *
 * G1 A start raises the generation only after it listens, so that a second start that fails does not replace the first one.
 * G2 A heartbeat every 30 s keeps the instance and all its leases alive. After a failure the next one tries again.
 * G3 Superseded means that a newer gateway runs on our state directory. From then on we write nothing more; writes
 *    that are under way are refused, because the newer one has raised the epochs of the leases.
 * G4 A stop releases no lease: they stay ours until the next generation takes them, or another gateway after two minutes.
 */
import type { Clock, Log, Timer } from '@clawdfather/kit';
import type { GatewayIdentity } from '@clawdfather/protocol/api';
import { type Owner, ownerStaleMs } from '@clawdfather/sessions';
import type { Store } from '@clawdfather/store';
import { ApiError } from '../http/api-error.ts';

export interface Instance {
  /* Throws `unavailable` before the start and after we were superseded. */
  owner(): Owner;
  /* From the start on, also when we are superseded or stop: who answers. */
  readonly identity: GatewayIdentity | undefined;
  readonly state: 'starting' | 'alive' | 'superseded' | 'stopped';
  /* Aborts when a newer gateway has taken over. */
  readonly superseded: AbortSignal;
  start(input: InstanceStart): Promise<Owner>;
  /* Now, beside the regular ones. Throws what the database throws. */
  beat(): Promise<void>;
  stop(): Promise<void>;
}

export interface InstanceStart {
  /* Of the state directory. */
  readonly instanceId: string;
  readonly version: string;
  readonly address: string;
}

export interface InstanceDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/* Four chances before a lease counts as orphaned. */
const beatEveryMs = 30_000;

export function createInstance({ store, clock, log }: InstanceDeps): Instance {
  const superseded = new AbortController();
  let state: Instance['state'] = 'starting';
  let owner: Owner | undefined;
  let identity: GatewayIdentity | undefined;
  let timer: Timer | undefined;
  let beating: Promise<void> | undefined;

  const requireOwner = (): Owner => {
    if (owner !== undefined && state === 'alive') return owner;
    throw new ApiError('unavailable', `this gateway is ${state}`);
  };

  const beatOnce = async (): Promise<void> => {
    const mine = requireOwner();
    if ((await store.system.instances.heartbeat(mine)) === 'superseded') {
      state = 'superseded';
      timer?.cancel();
      log.error('gateway.superseded', { component: 'session', ...mine });
      superseded.abort();
      return;
    }
    await store.system.leases.heartbeat(mine, { ownerStaleMs });
  };

  /* One at a time: a slow database must not be asked the same thing twice. */
  const beat = (): Promise<void> => {
    beating ??= beatOnce().finally(() => {
      beating = undefined;
    });
    return beating;
  };

  const arm = (): void => {
    timer = clock.timer(beatEveryMs, () => {
      arm();
      beat().catch((error: unknown) => {
        log.warn('gateway.beat-missed', { component: 'session', error });
      });
    });
    timer.unref();
  };

  return {
    owner: requireOwner,
    get identity() {
      return identity;
    },
    get state() {
      return state;
    },
    superseded: superseded.signal,
    start: async (input) => {
      owner = await store.system.instances.start(input);
      const { instanceId, generation } = owner;
      identity = { instanceId, generation, version: input.version };
      state = 'alive';
      arm();
      return owner;
    },
    beat,
    stop: async () => {
      timer?.cancel();
      const wasAlive = state === 'alive';
      state = 'stopped';
      await beating?.catch(() => {});
      if (owner === undefined || !wasAlive) return;
      // The row is only shown in a list, so a database that does not answer must not delay a stop.
      await store.system.instances.stop(owner).catch((error: unknown) => {
        log.warn('gateway.stop-unrecorded', { component: 'session', error });
      });
    },
  };
}

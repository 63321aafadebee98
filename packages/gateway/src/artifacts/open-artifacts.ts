/*
 * What turns leave, joined: where the bytes are, who signs their addresses, who finishes the looks, and who clears up.
 */
import { join } from 'node:path';
import type { EventRow } from '@clawdfather/agents';
import type { AccountId, Timer } from '@clawdfather/kit';
import type { Store } from '@clawdfather/store';
import type { EventDesk, Threads } from '@clawdfather/threads';
import { createAccountPlaces } from '../accounts/account-places.ts';
import type { GatewayConfig } from '../gateway-config.ts';
import type { GatewayDeps } from '../gateway-parts.ts';
import type { Runs } from '../runs/open-runs.ts';
import { type ContentStore, openContentStore } from './content-store.ts';
import { collectEveryMs, downloadsMax, unnamedKeptMs, usualArtifactBounds } from './limits.ts';
import { createTrees, type TreesDeps } from './trees.ts';
import { serveArtifact } from './serve-artifact.ts';
import { type AbandonedDeps, settleAbandoned } from './settle-abandoned.ts';
import { createSigner } from './signed-address.ts';
import { createArtifactSyncs } from './sync-artifacts.ts';
import { listArtifacts, type TurnArtifacts, turnArtifacts } from './turn-artifacts.ts';
import { openUrlKeys } from './url-keys.ts';

export interface Artifacts extends AsyncDisposable {
  /* What the wires tell of a turn of this account. */
  ofTurn(accountId: AccountId, turnId: string): Promise<TurnArtifacts>;
  /* The same for the list of the API. */
  list(accountId: AccountId, turnId: string): ReturnType<typeof listArtifacts>;
  /* Sends by itself. */
  serve(call: Parameters<typeof serveArtifact>[1]): Promise<void>;
  /* Finishes what earlier gateways have left, and from then on what turns leave. */
  start(): void;
}

export interface OpenArtifactsDeps extends GatewayDeps, TreesDeps {
  readonly config: GatewayConfig;
  readonly store: Store;
  readonly runs: Runs;
  readonly threads: Pick<Threads, 'keepArtifacts'>;
  readonly desk: Pick<EventDesk, 'followAll'>;
}

/* Throws `artifacts-unsafe`. */
export async function openArtifacts(deps: OpenArtifactsDeps): Promise<Artifacts> {
  const { config, store, clock, random, desk } = deps;
  const { directory = join(config.stateDir, 'artifacts') } = config.artifacts ?? {};
  const bounds = { ...usualArtifactBounds, ...config.artifacts?.bounds };
  const contents = openContentStore(directory, random);
  const signer = createSigner(await openUrlKeys(join(directory, 'url-keys'), deps));
  const places = createAccountPlaces({ what: 'downloads', placesMax: downloadsMax });
  const shown = { store, signer, clock, publicUrl: config.publicUrl };
  const { instanceId } = deps.runs.supervisor;
  const syncs = createArtifactSyncs({
    ...deps,
    ...config.artifacts?.rehearsal,
    contents,
    bounds,
    treeOf: createTrees(deps),
    instanceId,
  });
  const collecting = createCollecting({ ...deps, contents, instanceId, keptMs: bounds.keptMs });
  let stopFollowing = (): void => {};
  return {
    ofTurn: (accountId, turnId) => turnArtifacts(shown, accountId, turnId),
    list: (accountId, turnId) => listArtifacts(shown, accountId, turnId),
    serve: (call) => serveArtifact({ store, contents, signer, places, clock }, call),
    start: () => {
      stopFollowing = desk.followAll(({ events }) => {
        if (events.some(isEnd)) syncs.kick();
      });
      syncs.kick();
      collecting.start();
    },
    [Symbol.asyncDispose]: async () => {
      stopFollowing();
      await collecting.stop();
      await syncs[Symbol.asyncDispose]();
    },
  };
}

const ends: readonly unknown[] = ['completed', 'failed', 'cancelled', 'interrupted'];

function isEnd({ type, payload }: EventRow): boolean {
  return type === 'status' && ends.includes(payload['event']);
}

interface CollectingDeps extends GatewayDeps, AbandonedDeps {
  readonly contents: ContentStore;
  readonly keptMs: number;
}

/* Once an hour: looks that nobody will finish are ended, what is kept too long loses its bytes, then bytes that no row names go (CS3). */
function createCollecting(deps: CollectingDeps) {
  const { store, contents, clock, log, keptMs } = deps;
  const stop = new AbortController();
  const { signal } = stop;
  let timer: Timer | undefined;
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    try {
      await settleAbandoned(deps);
      const nowMs = clock.wallMs();
      await store.system.artifacts.removeContentsBefore(nowMs - keptMs);
      const isNamed = (accountId: AccountId, sha256: string): Promise<boolean> =>
        store.forAccount(accountId).artifacts.isKept(sha256);
      const removed = await contents.collect({ isNamed, nowMs, unnamedKeptMs, signal });
      if (removed > 0) log.event('artifacts.removed', { contents: removed });
    } catch (error) {
      if (!signal.aborted) log.warn('artifacts.collect-failed', { error });
    }
  };
  const start = (): void => {
    timer = clock.timer(collectEveryMs, start);
    timer.unref();
    running ??= run().finally(() => {
      running = undefined;
    });
  };
  return {
    start,
    stop: async (): Promise<void> => {
      stop.abort();
      timer?.cancel();
      await running;
    },
  };
}

/*
 * Finishes the looks that ended turns call for: each once, whatever happens in between.
 *
 * AS1 What is to be done is in the database (AR1), so a gateway that is killed leaves it to the next one on its state directory.
 * AS2 The rows are committed by a change of the thread that is made only while the look is still waited for (AR2). So two who do the same
 *     look store one outcome.
 * AS3 What may pass is tried again for a while, a little later each time: a host that is away, a full disk. Then it is said what is
 *     missing. The turn's own end was said before, and stays (AR3). The while counts from the end of the turn, through every restart;
 *     a gateway that comes back after it still tries a few times.
 */
import {
  type ArtifactsFound,
  type MissingReason,
  type ThreadRow,
  usualArtifactDirs,
} from '@clawdfather/agents';
import { type AccountId, type Clock, type Log, startTimeLimit, type Timer } from '@clawdfather/kit';
import type { DueSync, Store } from '@clawdfather/store';
import type { Threads } from '@clawdfather/threads';
import { type ArtifactTree, TreeError } from './artifact-tree.ts';
import { giveUpMs, lookMs, retryMsMax, retryMsMin, triesMin } from './limits.ts';
import { type SnapshotDeps, takeSnapshot } from './take-snapshot.ts';

export interface SyncDeps extends SnapshotDeps {
  readonly store: Store;
  readonly threads: Pick<Threads, 'keepArtifacts'>;
  /* The directory of a thread, as its agent saw it. Throws a `TreeError`. */
  readonly treeOf: (accountId: AccountId, thread: ThreadRow) => Promise<ArtifactTree>;
  readonly instanceId: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly patience?: SyncRehearsal['patience'];
}

/* For tests: less time, less room, and a word at every place where a crash could come. */
export interface SyncRehearsal extends Pick<SnapshotDeps, 'onPoint' | 'roomBytes'> {
  readonly patience?: { readonly giveUpMs: number; readonly retryMs: number } | undefined;
}

export interface ArtifactSyncs extends AsyncDisposable {
  /* A turn has ended, or this gateway has started: look what is due. */
  kick(): void;
}

/* Two: one that waits for a host does not keep the others. */
const looksAtOnce = 2;
/* Then it is seen what has come meanwhile: a look that was never tried goes before those that are tried again, which may take minutes. */
const looksInARow = 8;
/* A kick that was lost with a database that was away for a moment. */
const lookAgainMs = 60_000;

interface Tries {
  count: number;
  nextAtMs: number;
}

export function createArtifactSyncs(deps: SyncDeps): ArtifactSyncs {
  const { clock, log } = deps;
  const stop = new AbortController();
  const { signal } = stop;
  const tries = new Map<string, Tries>();
  let looking: Promise<void> | undefined;
  let isKicked = false;
  let timer: Timer | undefined;

  const isReady = ({ turnId }: DueSync): boolean =>
    (tries.get(turnId)?.nextAtMs ?? 0) <= clock.monotonicMs();
  const byTries = (one: DueSync, other: DueSync): number =>
    (tries.get(one.turnId)?.count ?? 0) - (tries.get(other.turnId)?.count ?? 0);

  const look = async (): Promise<void> => {
    while (isKicked && !signal.aborted) {
      isKicked = false;
      try {
        const due = await everythingDue(deps);
        // What has ended elsewhere is tried no more.
        const open = new Set(due.map(({ turnId }) => turnId));
        for (const turnId of tries.keys()) if (!open.has(turnId)) tries.delete(turnId);
        const ready = due.filter(isReady).toSorted(byTries).slice(0, looksInARow);
        await inParallel(ready, async (due) => {
          if (!signal.aborted) await finish(deps, { due, tries, signal });
        });
        if (ready.length > 0) isKicked = true;
      } catch (error) {
        if (signal.aborted) return;
        log.warn('artifacts.look-failed', { error });
      }
    }
  };
  const kick = (): void => {
    isKicked = true;
    if (signal.aborted) return;
    looking ??= look().finally(() => {
      looking = undefined;
      if (isKicked) kick();
      else arm();
    });
  };
  const arm = (): void => {
    if (signal.aborted) return;
    timer?.cancel();
    const nextMs = Math.min(...[...tries.values()].map(({ nextAtMs }) => nextAtMs));
    const ms = Math.min(lookAgainMs, nextMs - clock.monotonicMs());
    timer = clock.timer(Math.max(1, ms), kick);
    timer.unref();
  };
  return {
    kick,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      timer?.cancel();
      await looking;
    },
  };
}

/* Also those that are not to be tried yet: whoever reads only the oldest may read nothing but looks at hosts that are away. */
async function everythingDue({ store, instanceId }: SyncDeps): Promise<readonly DueSync[]> {
  const all: DueSync[] = [];
  for (;;) {
    const page = await store.system.artifacts.due(instanceId, all.at(-1));
    if (page.length === 0) return all;
    all.push(...page);
  }
}

async function inParallel<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const one = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: looksAtOnce }, one));
}

interface Finishing {
  readonly due: DueSync;
  readonly tries: Map<string, Tries>;
  readonly signal: AbortSignal;
}

async function finish(deps: SyncDeps, finishing: Finishing): Promise<void> {
  const { log, threads, onPoint } = deps;
  const { due, tries, signal } = finishing;
  const { accountId, threadId, turnId } = due;
  try {
    const found = await lookAt(deps, due, signal);
    if (signal.aborted || isLater(deps, finishing, found)) return;
    onPoint?.('before-rows');
    const isFirst = await threads.keepArtifacts({ accountId, id: threadId }, found);
    onPoint?.('after-rows');
    tries.delete(turnId);
    const { items, missingCount } = found;
    if (isFirst && items.length + missingCount > 0) {
      log.event('artifacts.kept', { threadId, turnId, files: items.length, missing: missingCount });
    }
  } catch (error) {
    if (signal.aborted) return;
    log.warn('artifacts.sync-failed', { threadId, turnId, error });
    isLater(deps, finishing, undefined);
  }
}

/* AS3. Undefined: it could not be stored, which is tried for as long as it takes. */
function isLater(
  { clock, patience = { giveUpMs, retryMs: retryMsMin } }: SyncDeps,
  { due, tries }: Finishing,
  found: ArtifactsFound | undefined,
): boolean {
  const nowMs = clock.monotonicMs();
  const { count } = tries.get(due.turnId) ?? { count: 0 };
  const mayPass = found === undefined || found.missing.some(({ reason }) => passing.has(reason));
  const isLate = Math.abs(clock.wallMs() - due.askedAtMs) >= patience.giveUpMs;
  const isOver = found !== undefined && isLate && count + 1 >= triesMin;
  if (!mayPass || isOver) return false;
  const restMs = Math.min(retryMsMax, patience.retryMs * 2 ** Math.min(count, 10));
  tries.set(due.turnId, { count: count + 1, nextAtMs: nowMs + restMs });
  return true;
}

const passing: ReadonlySet<MissingReason> = new Set(['unreachable', 'disk-full', 'not-stored']);

/* What nothing at all can be said about is missing as a whole. */
async function lookAt(deps: SyncDeps, due: DueSync, signal: AbortSignal): Promise<ArtifactsFound> {
  const { accountId, threadId, turnId } = due;
  const mine = deps.store.forAccount(accountId);
  const thread = await mine.threads.get(threadId);
  const turn = await mine.threads.turn(turnId);
  if (thread === undefined || turn === undefined) return nothing(turnId, 'vanished');
  const { artifacts } = mine;
  const previous = await artifacts.before(threadId, turnId);
  const bytesKept = await artifacts.bytesKept();
  using limit = startTimeLimit(deps.clock, lookMs, [signal]);
  try {
    const tree = await deps.treeOf(accountId, thread);
    const wanted = {
      accountId,
      turnId,
      sinceMs: turn.startedAtMs ?? turn.queuedAtMs,
      tree,
      dirs: turn.artifactDirs ?? usualArtifactDirs,
      previous,
      bytesKept,
      isKept: (sha256: string) => artifacts.isKept(sha256),
    };
    return await takeSnapshot(deps, wanted, limit.signal);
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof TreeError) return nothing(turnId, error.reason);
    if (limit.isPast) return nothing(turnId, 'unreadable');
    deps.log.warn('artifacts.look-failed', { threadId, turnId, error });
    return nothing(turnId, 'not-stored');
  }
}

/* Of a directory that cannot be looked at. */
export function nothing(turnId: string, reason: MissingReason): ArtifactsFound {
  return { turnId, items: [], missing: [{ path: '.', reason }], missingCount: 1 };
}

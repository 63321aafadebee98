/*
 * Which turns may run next, and which have waited for too long. A look reads the queue from the database, so it does not matter which
 * gateway has taken a turn in, or whether one was lost in between.
 *
 * A look lets in what fits (next-admissions.ts); each turn is counted again in the transaction that lets it in (X1), since another gateway
 * may be looking, too. What still waits then, and has waited as long as it may, fails. In this order: what can run runs.
 */
import type { QueueRecords, ReadyLane, ReadyTurn, RunningTurn } from '@clawdfather/agents';
import type { Clock, Log, Timer } from '@clawdfather/kit';
import type { ThreadsObserver } from '../observer.ts';
import { startsFor } from './memory-room.ts';
import { countLanes, nextAdmissions } from './next-admissions.ts';
import { agentLane, longestWaitMs, type QueueLimits } from './queue-limits.ts';
import { queueReason } from './queue-view.ts';
import { createWaitClock } from './wait-clock.ts';

export interface Admission {
  /* Something has changed. */
  look(): void;
  close(): Promise<void>;
}

export interface AdmissionDeps {
  readonly queue: QueueRecords;
  readonly instanceId: string;
  readonly limits: QueueLimits;
  /* Undefined: it cannot be read. */
  readonly availableBytes: () => Promise<number | undefined>;
  readonly log: Log;
  readonly clock: Pick<Clock, 'timer' | 'wallMs' | 'monotonicMs'>;
  readonly observer: Pick<ThreadsObserver, 'apart'>;
  readonly admit: (turn: ReadyTurn) => Promise<void>;
  readonly expire: (turn: ReadyTurn, message: string) => Promise<void>;
}

/* After a look that failed: nobody else may tell that turns wait. */
const retryMs = 1_000;

/* While turns wait: memory, another gateway and the clock tell nobody when they change. A look is a few reads of an index. */
const againMs = 2_000;

/* In one look; the rest is for the next one. */
const expiredMax = 100;

/* When so many cannot be taken, it is not their threads. */
const passedOverMax = 20;

export function createAdmission(deps: AdmissionDeps): Admission {
  const { log, clock, observer } = deps;
  const expireOverdue = createExpiry(deps);
  let isWanted = false;
  let isClosed = false;
  let looking: Promise<void> | undefined;
  let timer: Timer | undefined;
  const lookAfter = (ms: number): void => {
    timer?.cancel();
    timer = clock.timer(ms, look);
    timer.unref();
  };
  const lookOnce = async (): Promise<void> => {
    const lanes = await deps.queue.readyLanes();
    if (lanes.length === 0) return;
    await admitAll(deps, lanes, () => isClosed);
    if (isClosed) return;
    await expireOverdue(lanes);
    if (!isClosed) lookAfter(againMs);
  };
  const loop = async (): Promise<void> => {
    while (isWanted && !isClosed) {
      isWanted = false;
      await lookOnce().catch((error: unknown) => {
        if (isClosed) return;
        log.warn('thread.admission-failed', { error });
        lookAfter(retryMs);
      });
    }
  };
  const look = (): void => {
    isWanted = true;
    if (isClosed) return;
    looking ??= observer.apart(loop).finally(() => {
      looking = undefined;
      // It may have been wanted after the loop had ended.
      if (isWanted) look();
    });
  };
  return {
    look,
    close: async () => {
      isClosed = true;
      timer?.cancel();
      await looking;
    },
  };
}

/* What one thread's rows refuse takes no room from the others: it is chosen without it again. */
async function admitAll(
  deps: AdmissionDeps,
  lanes: readonly ReadyLane[],
  isClosed: () => boolean,
): Promise<void> {
  const passedOver = new Set<string>();
  let isWhole = false;
  while (!isWhole && passedOver.size < passedOverMax) {
    isWhole = true;
    for (const turn of await choose(deps, lanes, passedOver)) {
      if (isClosed()) return;
      if (await isDone(deps, turn, () => deps.admit(turn))) continue;
      passedOver.add(turn.turnId);
      isWhole = false;
    }
  }
}

async function isDone(
  { log }: AdmissionDeps,
  { threadId, turnId }: ReadyTurn,
  take: () => Promise<void>,
): Promise<boolean> {
  try {
    await take();
    return true;
  } catch (error) {
    log.warn('thread.not-admitted', { threadId, turnId, error });
    return false;
  }
}

/* Reads no further than there is room. */
async function choose(
  deps: AdmissionDeps,
  lanes: readonly ReadyLane[],
  passedOver: ReadonlySet<string>,
): Promise<readonly ReadyTurn[]> {
  const { queue, instanceId, limits } = deps;
  const running = await queue.running();
  const counts = countLanes(running, instanceId);
  const room = limits.gateway.activeMax - counts.gateway;
  const open = lanes.filter(
    ({ accountId, agent }) =>
      (counts.agents.get(agent) ?? 0) < agentLane(limits, agent).activeMax &&
      (counts.accounts.get(accountId) ?? 0) < limits.account.activeMax,
  );
  if (room <= 0 || open.length === 0) return [];
  const { startsMax } = await startsNow(deps, running);
  const perLaneMax = room + passedOver.size;
  const wanted = { lanes: open, instanceId, atMs: deps.clock.wallMs(), perLaneMax };
  const ready = startsMax > 0 ? await queue.ready({ ...wanted, hasAgentOnly: false }) : [];
  // Memory for some of the agents only: behind those that would have to be started stand turns whose agent runs.
  const warm = startsMax < room ? await queue.ready({ ...wanted, hasAgentOnly: true }) : [];
  const known = new Set(ready.map(({ turnId }) => turnId));
  const all = [...ready, ...warm.filter(({ turnId }) => !known.has(turnId))];
  const left = all.filter(({ turnId }) => !passedOver.has(turnId));
  return nextAdmissions({ instanceId, limits, running, ready: left, startsMax });
}

/* How many agents may be started, by the memory that there is. */
export async function startsNow(
  {
    limits,
    instanceId,
    availableBytes: read,
    clock,
  }: Pick<AdmissionDeps, 'limits' | 'instanceId' | 'availableBytes' | 'clock'>,
  running: readonly RunningTurn[],
): Promise<{ readonly startsMax: number; readonly availableBytes: number | undefined }> {
  const here = running.filter((turn) => turn.instanceId === instanceId);
  const availableBytes = await read();
  const now = { availableBytes, running: here, atMs: clock.wallMs() };
  return { startsMax: startsFor(limits.memory, now), availableBytes };
}

function createExpiry(deps: AdmissionDeps): (lanes: readonly ReadyLane[]) => Promise<void> {
  const { queue, limits, clock, expire } = deps;
  const waits = createWaitClock(clock);
  return async (lanes) => {
    for (const agent of new Set(lanes.map((lane) => lane.agent))) {
      const mayWaitMs = longestWaitMs(limits, agent);
      const readyBeforeMs = clock.wallMs() - mayWaitMs;
      // Also when nothing can be due yet: the clock is watched.
      if (waits.waitedMs(readyBeforeMs) < mayWaitMs) continue;
      for (const turn of await queue.overdue({ agent, readyBeforeMs, limit: expiredMax })) {
        await isDone(deps, turn, async () => expire(turn, await whyExpired(deps, turn, mayWaitMs)));
      }
    }
  };
}

async function whyExpired(deps: AdmissionDeps, turn: ReadyTurn, waitMs: number): Promise<string> {
  const { queue, instanceId, limits, clock } = deps;
  const running = await queue.running();
  const now = { accountId: turn.accountId, instanceId, limits, running, atMs: clock.wallMs() };
  const { message } = queueReason(
    {
      ...turn,
      queuedAtMs: turn.readyAtMs,
      agentInstanceId: turn.hasAgent ? instanceId : undefined,
    },
    { ...now, ...(await startsNow(deps, running)) },
  );
  return `it waited for ${Math.round(waitMs / 60_000)} minutes: ${message}`;
}

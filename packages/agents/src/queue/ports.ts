/*
 * What the queue of turns needs from the control database, over all accounts. `store` implements it. No prompt is read for any of it.
 */
import type { AccountId } from '@clawdfather/kit';
import type { QueueSpot } from './queue-order.ts';

export interface RunningTurn {
  readonly accountId: AccountId;
  readonly threadId: string;
  readonly turnId: string;
  readonly agent: string;
  /* The gateway that has admitted it. */
  readonly instanceId?: string | undefined;
  readonly startedAtMs: number;
  /* Its agent is on an SSH host, and takes none of the memory here. */
  readonly isOnHost?: boolean | undefined;
}

/* The first of its thread, in which none runs: it waits for nothing but room, or for its time. */
export interface ReadyTurn extends QueueSpot {
  readonly accountId: AccountId;
  readonly threadId: string;
  readonly turnId: string;
  /* In its thread. Turns that were put in at the same moment may have one key: then this decides, and their ids last. */
  readonly place: number;
  readonly agent: string;
  readonly readyAtMs: number;
  /* Its agent runs already, so that none is started for it. */
  readonly hasAgent: boolean;
  /* It would be started on an SSH host. */
  readonly isOnHost?: boolean | undefined;
}

export interface WaitingTurn extends QueueSpot {
  readonly turnId: string;
  readonly threadId: string;
  readonly agent: string;
  readonly queuedAtMs: number;
  /* Absent: another one of its thread comes first. */
  readonly readyAtMs?: number | undefined;
  readonly notBeforeMs?: number | undefined;
  /* Where the agent of its thread runs; absent: nowhere. */
  readonly agentInstanceId?: string | undefined;
  /* It is on an SSH host, or would be. */
  readonly isOnHost?: boolean | undefined;
}

/* A part of an account's queue, in order. */
export interface WaitingPage {
  readonly items: readonly WaitingTurn[];
  readonly total: number;
}

export interface LaneWaiting {
  readonly waiting: number;
  readonly oldestQueuedAtMs?: number | undefined;
}

/* What an account has waiting for one agent. */
export interface ReadyLane {
  readonly accountId: AccountId;
  readonly agent: string;
}

/* How many turns of an account run and wait for one agent. */
export interface LaneCount extends ReadyLane {
  readonly running: number;
  readonly waiting: number;
}

export interface ReadyWanted {
  readonly lanes: readonly ReadyLane[];
  /* Turns whose agent runs at another gateway are that one's. */
  readonly instanceId: string;
  readonly atMs: number;
  /* Of each at most so many, in their order. */
  readonly perLaneMax: number;
  /* No agent can be started on this machine: those on SSH hosts are not meant. */
  readonly hasAgentOnly: boolean;
}

export interface OverdueWanted {
  readonly agent: string;
  /* Ready since before this, and not held back by a time of its own. */
  readonly readyBeforeMs: number;
  readonly limit: number;
}

export interface QueueRecords {
  running(): Promise<readonly RunningTurn[]>;
  /* Those with turns that are ready, or will be at a time of their own. */
  readyLanes(): Promise<readonly ReadyLane[]>;
  ready(wanted: ReadyWanted): Promise<readonly ReadyTurn[]>;
  overdue(wanted: OverdueWanted): Promise<readonly ReadyTurn[]>;
  /* Of all that have any. Reads what waits, so it is for whoever watches and not for a look at the queue. */
  counts(): Promise<readonly LaneCount[]>;
  waitingIn(lane: {
    readonly agent?: string | undefined;
    readonly accountId?: AccountId | undefined;
  }): Promise<LaneWaiting>;
  /* Of one account, in order. */
  page(accountId: AccountId, limit: number): Promise<WaitingPage>;
  /* How many of its account stand before it; undefined: it does not wait. */
  placeOf(
    accountId: AccountId,
    turnId: string,
  ): Promise<(WaitingTurn & { readonly ahead: number }) | undefined>;
  /* The highest of an account; undefined: none waits. */
  lastKey(accountId: AccountId): Promise<number | undefined>;
  /* The one that stands directly before a place, and the last one of all, leaving out one that is to be moved. */
  neighbours(
    accountId: AccountId,
    around: { readonly spot?: QueueSpot | undefined; readonly exceptId?: string | undefined },
  ): Promise<{ readonly before?: QueueSpot | undefined; readonly last?: QueueSpot | undefined }>;
}

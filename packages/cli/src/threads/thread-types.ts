/*
 * Threads, turns and asks as a gateway shows them.
 */
import type { Client, ThreadEvent } from '@clawdfather/sdk';

type ThreadAnswer = Awaited<ReturnType<Client['threads']['get']>>;

export type Thread = ThreadAnswer['thread'];
export type Turn = ThreadAnswer['turns'][number];
export type Ask = Awaited<ReturnType<Client['asks']['get']>>;
export type QueueAnswer = Awaited<ReturnType<Client['queue']['list']>>;
export type QueuedTurn = QueueAnswer['items'][number];
export type QueueLane = QueueAnswer['lanes'][number];
export type AskOption = Ask['options'][number];
export type { ThreadEvent };

export type TurnEndStatus = Exclude<Turn['status'], 'queued' | 'running'>;

/* How a turn ended, as the event of its end tells it. */
export interface TurnEnd {
  readonly status: TurnEndStatus;
  readonly code: string | undefined;
  readonly stopReason: string | undefined;
  readonly message: string | undefined;
  readonly cause: string | undefined;
}

/*
 * How a client that has no stream asks after a turn: how often, and until when. The server says so with every answer, so that no client
 * has a number of its own that is wrong.
 */
import { deadlineMs, handshakeMs, type TurnRow } from '@clawdfather/agents';

/* Also told ahead of any turn, to clients that plan (`acp.capabilities`). */
export const pollTimes = {
  /* A turn that runs says something every few seconds; one that waits moves when another ends. */
  runningEveryMs: 2_000,
  waitingEveryMs: 5_000,
  /* For the end of a turn to be stored and seen, also by one that was away in the moment of it. */
  afterDeadlineMs: 5 * 60_000,
} as const;

export interface PollFacts {
  readonly intervalMs: number;
  /* After it there is nothing to wait for. Grows with each answer for as long as the turn has no deadline. */
  readonly untilMs: number;
  /* From now until then: a client's clock may be wrong. */
  readonly leftMs: number;
}

export type PolledTurn = Pick<TurnRow, 'status' | 'loadClass' | 'deadlineAtMs'>;

/* Undefined: it has ended. */
export function pollFacts(
  turn: PolledTurn,
  { atMs, longestWaitMs }: { readonly atMs: number; readonly longestWaitMs: number },
): PollFacts | undefined {
  if (turn.status !== 'queued' && turn.status !== 'running') return undefined;
  const { runningEveryMs, waitingEveryMs, afterDeadlineMs } = pollTimes;
  const intervalMs = turn.status === 'queued' ? waitingEveryMs : runningEveryMs;
  // Not prompted yet: it may wait, its agent may have to start, and then it has its time.
  const waitMs = turn.status === 'queued' ? longestWaitMs : 0;
  const startMs = waitMs + handshakeMs + deadlineMs[turn.loadClass];
  const deadlineAtMs = turn.deadlineAtMs ?? atMs + startMs;
  const untilMs = deadlineAtMs + afterDeadlineMs;
  return { intervalMs, untilMs, leftMs: untilMs - atMs };
}

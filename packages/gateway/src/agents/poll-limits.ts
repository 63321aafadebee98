/*
 * How long and how often a client asks after a turn that it lost sight of: as the gateway says, never by numbers of its own. A client that gave
 * up before the deadline would call a turn lost that still runs.
 */
import type { TurnRow } from '@clawdfather/agents';

/* A turn takes seconds to minutes; asking costs one row. */
export const pollIntervalMs = 2_000;
/* After the deadline: the agent has 10 s to stop, and a gateway that is being restarted takes its time. */
export const afterDeadlineMs = 5 * 60_000;

export interface PollLimits {
  readonly intervalMs: number;
  /* Absent while it waits: its deadline is set when it starts. */
  readonly untilMs: number | undefined;
}

/* Undefined: it has ended, and stays as it is. */
export function pollLimitsOf({ endedAtMs, deadlineAtMs }: TurnRow): PollLimits | undefined {
  if (endedAtMs !== undefined) return undefined;
  const untilMs = deadlineAtMs === undefined ? undefined : deadlineAtMs + afterDeadlineMs;
  return { intervalMs: pollIntervalMs, untilMs };
}

/*
 * How long an agent that is run once per turn may say nothing before it counts as stuck. All numbers of it are here; the deadline itself is
 * the shim's, so it holds while no gateway is alive.
 */
const secondMs = 1_000;

interface Share {
  readonly ofTimeout: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

/* A fresh start may think for long before its first word; one that takes up a conversation has done its reading. */
const freshStart: Share = { ofTimeout: 0.8, leastMs: 180 * secondMs, mostMs: 600 * secondMs };
const resumed: Share = { ofTimeout: 0.3, leastMs: 60 * secondMs, mostMs: 180 * secondMs };

/* Whatever the timeout is: time to start at all, and an end of its own before the timeout's. */
const leastMs = secondMs;
const beforeTimeoutMs = secondMs;

/* `timeoutMs`: of the whole turn. With less than two seconds of it the least wins, and the timeout comes first. */
export function noOutputMs({
  timeoutMs,
  isResumed,
}: {
  readonly timeoutMs: number;
  readonly isResumed: boolean;
}): number {
  const share = isResumed ? resumed : freshStart;
  const wanted = Math.round(timeoutMs * share.ofTimeout);
  const within = Math.min(Math.max(wanted, share.leastMs), share.mostMs);
  return Math.max(leastMs, Math.min(within, Math.floor(timeoutMs) - beforeTimeoutMs));
}

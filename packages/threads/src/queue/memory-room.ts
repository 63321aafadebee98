/*
 * How many agents may be started with the memory that the machine has left, as a pure function.
 *
 * Only agents on this machine count: those on SSH hosts take none of its memory, and make no room when they end.
 *
 * An agent that was just started has not taken its memory yet, so some is set aside for it. Where nothing runs at all one is started in any
 * case: nothing here would ever end and make room, and a machine that is short of memory for other reasons still answers one at a time.
 */
import type { RunningTurn } from '@clawdfather/agents';
import type { MemoryLimits } from './queue-limits.ts';

/* Within it an agent has read its files and is as large as it starts out. */
const growingMs = 15_000;

export interface MemoryNow {
  /* Undefined: it cannot be read, and is no reason to wait. */
  readonly availableBytes: number | undefined;
  /* Of this gateway. */
  readonly running: readonly RunningTurn[];
  readonly atMs: number;
}

export function startsFor(
  { floorBytes, agentBytes }: MemoryLimits,
  { availableBytes, running, atMs }: MemoryNow,
): number {
  if (availableBytes === undefined || floorBytes <= 0) return Number.POSITIVE_INFINITY;
  const local = running.filter(({ isOnHost = false }) => !isOnHost);
  const growing = local.filter(({ startedAtMs }) => Math.abs(atMs - startedAtMs) < growingMs);
  const spareBytes = availableBytes - growing.length * agentBytes - floorBytes;
  // The one that is started may bring it down to the floor.
  const starts = Math.max(0, Math.ceil(spareBytes / Math.max(1, agentBytes)));
  return local.length === 0 ? Math.max(1, starts) : starts;
}

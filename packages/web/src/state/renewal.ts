/*
 * When an open stream is not to be trusted any more. Pure.
 *
 * A phone freezes pages: their sockets look open and are gone. So after a rest, or after silence, the stream is replaced at once, without
 * waiting for a time limit to find out.
 */

/* The gateway says something at least this often. */
export const heartbeatMs = 20_000;
/* A page that was away for less was not frozen. */
const restMs = 10_000;

export interface Rest {
  /* Since the page was hidden; 0 if it was not. */
  readonly hiddenMs: number;
  /* Since anything came. */
  readonly silentMs: number;
  readonly isLive: boolean;
}

export function isWorthRenewing({ hiddenMs, silentMs, isLive }: Rest): boolean {
  return !isLive || hiddenMs > restMs || silentMs > 2 * heartbeatMs;
}

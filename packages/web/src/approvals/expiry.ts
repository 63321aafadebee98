/*
 * How long a request still waits, counted from what the gateway has said about its age, so that a wrong clock on this device changes
 * nothing. Pure.
 */
export interface Waiting {
  /* By the gateway's clock. */
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /* How old it was when it was read, and when that was by our own monotonic clock. */
  readonly ageMs: number;
  readonly readAtMs: number;
}

export function ageMsOf({ ageMs, readAtMs }: Waiting, nowMs: number): number {
  return Math.max(0, ageMs + nowMs - readAtMs);
}

export function leftMsOf(waiting: Waiting, nowMs: number): number {
  const { createdAtMs, expiresAtMs } = waiting;
  return Math.max(0, expiresAtMs - createdAtMs - ageMsOf(waiting, nowMs));
}

/* From 1, when it was asked, to 0. */
export function shareLeftOf(waiting: Waiting, nowMs: number): number {
  const lengthMs = waiting.expiresAtMs - waiting.createdAtMs;
  return lengthMs <= 0 ? 0 : Math.min(1, leftMsOf(waiting, nowMs) / lengthMs);
}

const minuteMs = 60_000;

/* What is read aloud, once each: five minutes and one minute before the end, and at the end. */
export function expiryNotice(leftMs: number): string {
  if (leftMs <= 0) return 'This has expired. Nothing was decided.';
  if (leftMs <= minuteMs) return 'Less than a minute is left to decide.';
  if (leftMs <= 5 * minuteMs) return 'Less than five minutes are left to decide.';
  return '';
}

/*
 * Since when something waits. Apart from the other times, because the first screen does without it.
 */
import { formatAgo } from './time-words.ts';

const justMs = 60_000;

/* just now, since 4 min ago, since 14:02 */
export function formatSince(atMs: number, nowMs: number): string {
  return nowMs - atMs < justMs ? 'just now' : `since ${formatAgo(atMs, nowMs)}`;
}

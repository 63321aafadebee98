/*
 * How long to wait before the next attempt: 1, 2, 4, 8, 16, 30, 30 … s, each up to a fifth shorter, so that a thousand who lost the same
 * thing do not come back in the same second.
 */
import type { Random } from './random.ts';

const firstMs = 1_000;
const longestMs = 30_000;
const jitter = 0.2;

/* `attempt` counts from 0. */
export function backoffMs(attempt: number, random: Pick<Random, 'bytes'>): number {
  const wholeMs = Math.min(longestMs, firstMs * 2 ** Math.min(attempt, 10));
  const [byte = 0] = random.bytes(1);
  return Math.round(wholeMs * (1 - (jitter * byte) / 255));
}

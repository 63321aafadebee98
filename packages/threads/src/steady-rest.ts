/*
 * How long something may still take whose beginning is stored as a time of the wall clock. That clock may jump, and another gateway's may be
 * another one: so it is asked once, when the wait is first seen, and from then on the steady clock counts.
 */
import type { Clock } from '@clawdfather/kit';
import type { Wait } from './due-by-clock.ts';

/* One wait at a time: the next one takes the place of the one before. */
export function createSteadyRest(clock: Pick<Clock, 'monotonicMs' | 'wallMs'>) {
  let known: { readonly key: string; readonly dueAtMs: number } | undefined;
  return ({ name, fromMs, ms }: Wait): number => {
    const nowMs = clock.monotonicMs();
    const key = `${name} ${fromMs}`;
    if (known?.key !== key) {
      // What began in the future has just begun.
      const restMs = Math.min(ms, fromMs + ms - clock.wallMs());
      known = { key, dueAtMs: nowMs + restMs };
    }
    return known.dueAtMs - nowMs;
  };
}

/*
 * How long something may still take whose beginning is stored as a time of the wall clock. That clock may jump, and another gateway's may be
 * another one: so it is asked once, when the wait is first seen, and from then on the steady clock counts.
 */
import type { Clock } from '@clawdfather/kit';
import type { Wait } from './due-by-clock.ts';

/* Of one thread. Few are under way at a time; the oldest ones are forgotten. */
const waitsMax = 8;

export function createSteadyRest(clock: Pick<Clock, 'monotonicMs' | 'wallMs'>) {
  const dueAtMs = new Map<string, number>();
  return ({ name, fromMs, ms, isFromHere = false }: Wait): number => {
    const nowMs = clock.monotonicMs();
    const key = `${name} ${fromMs}`;
    const known = dueAtMs.get(key);
    if (known !== undefined) return known - nowMs;
    // What began in the future has just begun.
    const restMs = isFromHere ? ms : Math.min(ms, fromMs + ms - clock.wallMs());
    dueAtMs.set(key, nowMs + restMs);
    for (const oldest of dueAtMs.keys()) {
      if (dueAtMs.size <= waitsMax) break;
      dueAtMs.delete(oldest);
    }
    return restMs;
  };
}

/*
 * Time and chance for clients whose attempts follow each other sooner. With all of the jitter an attempt waits for 24 s at most, so a timer below 30 s is
 * one of them, and the heartbeat and the silence keep theirs. So does a socket that opens, which has 15 s.
 */
import { createRandom, createSystemClock } from '@clawdfather/kit';

const clock = createSystemClock();
const shortMs = 100;

function hastyMs(ms: number): number {
  const isOpening = ms > 14_000 && ms <= 15_000;
  return ms < 29_000 && !isOpening ? Math.min(ms, shortMs) : ms;
}

export const hasty = {
  random: createRandom((target) => target.fill(255)),
  clock: {
    ...clock,
    timer: (ms: number, fire: () => void) => clock.timer(hastyMs(ms), fire),
    sleep: (ms: number, signal?: AbortSignal) => clock.sleep(hastyMs(ms), signal),
  },
};

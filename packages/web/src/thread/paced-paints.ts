/*
 * When what an agent writes is drawn: with the next frame if nothing was drawn just now, else a few frames later with all that has come by then.
 * Nobody reads faster, and a phone has four times less to do.
 */
import type { Clock } from '@clawdfather/kit';

/* Some sixteen times a second. */
export const paintPauseMs = 60;

export function createPacedPaints(
  clock: Pick<Clock, 'monotonicMs' | 'timer'>,
  nextFrame: (show: () => void) => void,
): (show: () => void) => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (show) => {
    const inFrame = (): void =>
      nextFrame(() => {
        lastMs = clock.monotonicMs();
        show();
      });
    const waitMs = lastMs + paintPauseMs - clock.monotonicMs();
    if (waitMs <= 0) inFrame();
    else clock.timer(waitMs, inFrame);
  };
}

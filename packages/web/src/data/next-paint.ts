/*
 * When something is shown that has come: with the next paint. A page that is not seen has no paints and goes on all the same, so that what it
 * reads does not pile up; it is as new when it is seen again.
 *
 * Whichever comes first: whether the page is seen is not asked, because browsers leave paints out for other reasons as well.
 */
import type { Clock } from '@clawdfather/kit';

/* Much longer than a paint takes. Of a page that is hidden for long, browsers make this a minute: who collects has a bound of their own. */
export const unseenMs = 1_000;

export interface Paints {
  requestAnimationFrame(show: () => void): number;
  cancelAnimationFrame(handle: number): void;
}

export function createNextPaint(
  clock: Pick<Clock, 'timer'>,
  paints: Paints,
): (show: () => void) => void {
  return (show) => {
    const timer = clock.timer(unseenMs, () => {
      // Or there would be one more of them with every timer, until the page is seen.
      paints.cancelAnimationFrame(frame);
      show();
    });
    const frame = paints.requestAnimationFrame(() => {
      timer.cancel();
      show();
    });
  };
}

/*
 * Looks that events ask for: the first at once, and of all that are asked for shortly after it one, at the end of the pause. A turn alone
 * tells of itself several times within a moment, and each look at the threads reads five lists.
 */
import type { Clock, Timer } from '@clawdfather/kit';

/* Nobody sees a list change faster, and what was decided elsewhere has to show within a second. */
export const refreshPauseMs = 300;

export interface PacedRefresh {
  ask(): void;
  /* What was asked for and not looked at yet is dropped. */
  close(): void;
}

export function createPacedRefresh(clock: Pick<Clock, 'timer'>, refresh: () => void): PacedRefresh {
  let pause: Timer | undefined;
  let isAsked = false;
  const look = (): void => {
    isAsked = false;
    pause = clock.timer(refreshPauseMs, () => {
      pause = undefined;
      if (isAsked) look();
    });
    refresh();
  };
  return {
    ask: () => {
      isAsked = true;
      if (pause === undefined) look();
    },
    close: () => {
      pause?.cancel();
      pause = undefined;
      isAsked = false;
    },
  };
}

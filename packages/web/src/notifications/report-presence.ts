/*
 * Tells the gateway whether somebody looks at this device, for as long as it is so: what is on the screen already need not be pushed.
 * The gateway forgets it by itself, so a phone that is switched off counts as not looked at. A device is looked at while any of its tabs is.
 *
 * That it is put away is said at once, even if the page is about to go: until the gateway knows, it pushes nothing. That it is looked at waits
 * until all that was said before is answered, so that it is never overtaken. What another tab says may overtake it, so it is said once more
 * after that.
 */
import { effect, type ReadonlySignal } from '@preact/signals';
import type { Clock, Timer } from '@clawdfather/kit';
import type { Client } from '@clawdfather/sdk';
import type { OtherTabs } from './other-tabs.ts';

export interface PresenceDeps {
  readonly client: Pick<Client, 'presence'>;
  readonly clock: Pick<Clock, 'timer'>;
  readonly document: Pick<Document, 'visibilityState' | 'addEventListener'>;
  readonly others: OtherTabs;
  /* Only a device that gets notifications has something to say. */
  readonly isWanted: ReadonlySignal<boolean>;
}

/* When it could not be said. */
const againMs = 30_000;
/* By then a tab that was put away in the same moment, and is gone since, has been heard by the gateway. */
const settledMs = 3_000;

type Said = 'visible' | 'hidden';

export function reportPresence(deps: PresenceDeps): void {
  const { client, clock, document, others, isWanted } = deps;
  let next: Timer | undefined;
  let unanswered = 0;
  let isSettled = true;
  const isVisible = (): boolean => document.visibilityState === 'visible';
  /* Undefined: another tab speaks for the device. */
  const stateNow = (): Said | undefined => {
    if (isVisible()) return 'visible';
    return others.isLookedAt() ? undefined : 'hidden';
  };
  const restOf = (usualMs: number): number => {
    const ms = isSettled || !others.areThere() ? usualMs : Math.min(settledMs, usualMs);
    isSettled = true;
    return ms;
  };
  const report = async (): Promise<void> => {
    next?.cancel();
    const state = stateNow();
    if (!isWanted.value || state === undefined) return;
    if (state === 'visible' && unanswered > 0) return;
    let afterMs = againMs;
    unanswered += 1;
    try {
      const said = await client.presence.report({ body: { state } }, { keepalive: true });
      afterMs = said.again_after_ms;
    } catch {
      // Said again later; until then it counts as not looked at.
    }
    unanswered -= 1;
    others.say({ isVisible: isVisible(), hasSaidHidden: state === 'hidden' });
    if (stateNow() !== state) return void report();
    if (state === 'hidden') return;
    next?.cancel();
    next = clock.timer(restOf(afterMs), () => void report());
  };
  document.addEventListener('visibilitychange', () => {
    isSettled = false;
    others.say({ isVisible: isVisible(), isLeft: !isVisible() && others.isLookedAt() });
    void report();
  });
  others.onNews(({ isVisible: isOther, hasSaidHidden = false, isLeft = false }) => {
    if (isOther) return;
    if (!isVisible()) {
      // Both were put away in the same moment, and each has left it to the other.
      if (isLeft && !others.isLookedAt()) void report();
    } else if (hasSaidHidden) void report();
    else {
      next?.cancel();
      next = clock.timer(settledMs, () => void report());
    }
  });
  effect(() => {
    if (isWanted.value) void report();
    else next?.cancel();
  });
}

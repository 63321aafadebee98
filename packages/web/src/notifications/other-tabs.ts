/*
 * Whether another tab of this device is looked at. Tabs tell each other when they are shown and put away, and again while they are shown, so one
 * that has died is soon forgotten.
 */
import type { Clock, Random } from '@clawdfather/kit';

export interface OtherTabs {
  isLookedAt(): boolean;
  /* Any at all, shown or not. */
  areThere(): boolean;
  say(news: TabState): void;
  onNews(listener: (news: TabState) => void): void;
}

export interface TabState {
  readonly isVisible: boolean;
  /* The gateway has just been told, and has answered, that nobody looks. */
  readonly hasSaidHidden?: boolean;
  /* It was put away and tells the gateway nothing of it, because another tab was looked at. */
  readonly isLeft?: boolean;
}

/* What tabs are connected by; a BroadcastChannel in a page. */
export interface TabLine {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

/* Longer than a tab that is shown is silent (report-presence.ts). */
const believedMs = 75_000;

export function openOtherTabs(
  line: TabLine | undefined,
  { clock, random }: { readonly clock: Pick<Clock, 'monotonicMs'>; readonly random: Random },
): OtherTabs {
  const own = random.id();
  /* Until when each is believed to be shown; long ago: it is not. */
  const others = new Map<string, number>();
  const isLookedAt = (): boolean =>
    [...others.values()].some((untilMs) => untilMs > clock.monotonicMs());
  return {
    isLookedAt,
    areThere: () => others.size > 0,
    say: (news) => line?.postMessage({ tab: own, ...news }),
    onNews: (listener) => {
      line?.addEventListener('message', ({ data }) => {
        if (!isNews(data) || data.tab === own) return;
        others.set(data.tab, data.isVisible ? clock.monotonicMs() + believedMs : 0);
        listener(data);
      });
    },
  };
}

/* Another version of the app may be in the other tab. */
function isNews(data: unknown): data is TabState & { readonly tab: string } {
  if (typeof data !== 'object' || data === null) return false;
  const { tab, isVisible } = data as Record<string, unknown>;
  return typeof tab === 'string' && typeof isVisible === 'boolean';
}

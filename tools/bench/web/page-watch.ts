/*
 * What a page notes about itself while it is measured: when its largest content was painted, how far content was shifted, which tasks were
 * long, and when something that was waited for was on the screen.
 *
 * `notePage` is put into a page before its own scripts. It asks in every frame whether what is waited for is there, and tells the time of the
 * frame after: that is when it has been painted.
 */
import type { Page } from './throttle.ts';

export interface PageNotes {
  lcpMs: number;
  shift: number;
  /* Of tasks over 50 ms: what is over 50 ms, since the first paint of content. */
  blockedMs: number;
  longTasks: number;
  longestTaskMs: number;
  /* From a tap to the frame that shows its answer. */
  interactionMs: number;
}

/* In the page. */
export interface BenchWindow extends Window {
  notes: PageNotes;
  /* Milliseconds since the page began, of the frame after the one in which it was first so. */
  readonly until: (isThere: () => boolean) => Promise<number>;
}

export async function watchPage(page: Page): Promise<void> {
  await page.addInitScript(notePage);
}

/* What the page has noted since it was loaded, or since the last time. */
export function readNotes(page: Page): Promise<PageNotes> {
  return page.evaluate(() => {
    const bench = window as unknown as BenchWindow;
    const notes = { ...bench.notes };
    Object.assign(bench.notes, { blockedMs: 0, longTasks: 0, longestTaskMs: 0, interactionMs: 0 });
    return notes;
  });
}

/* In the page, before anything else of it. */
function notePage(): void {
  const bench = window as unknown as BenchWindow;
  const notes: PageNotes = {
    lcpMs: 0,
    shift: 0,
    blockedMs: 0,
    longTasks: 0,
    longestTaskMs: 0,
    interactionMs: 0,
  };
  const observe = (
    type: string,
    note: (entry: PerformanceEntry) => void,
    more: Readonly<Record<string, number>> = {},
  ): void =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({
      type,
      buffered: true,
      ...more,
    });
  observe('largest-contentful-paint', ({ startTime }) => {
    notes.lcpMs = startTime;
  });
  observe('layout-shift', (entry) => {
    const { value, hadRecentInput } = entry as unknown as {
      readonly value: number;
      readonly hadRecentInput: boolean;
    };
    if (!hadRecentInput) notes.shift += value;
  });
  observe('longtask', ({ duration }) => {
    notes.blockedMs += Math.max(0, duration - 50);
    notes.longTasks += 1;
    notes.longestTaskMs = Math.max(notes.longestTaskMs, duration);
  });
  const noteEvent = (entry: PerformanceEntry): void => {
    notes.interactionMs = Math.max(notes.interactionMs, entry.duration);
  };
  observe('event', noteEvent, { durationThreshold: 16 });
  const until = (isThere: () => boolean): Promise<number> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!isThere()) requestAnimationFrame(look);
        else requestAnimationFrame((atMs) => resolve(atMs));
      };
      look();
    });
  Object.assign(bench, { notes, until });
}

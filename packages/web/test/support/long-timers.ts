/*
 * The long timers of a page, stopped by the test: what the page does after a while it does when the test lets it, however long the test looks. A decision
 * that is held is not sent meanwhile, and nothing asks the gateway from time to time. Shorter ones, as between two looks, fire as ever.
 */
import type { Page } from 'playwright-core';

interface NotedTimers {
  longTimers: { stop(): void; resume(): void };
}

/* From now on none fires of those that the page sets, and of those that it has set since `noteTimers`. */
export async function stopTimers(page: Page): Promise<void> {
  await page.evaluate(noteTimers);
  await page.evaluate(() => (globalThis as unknown as NotedTimers).longTimers.stop());
}

/* What was due meanwhile fires now, and the others when they are due. */
export async function resumeTimers(page: Page): Promise<void> {
  await page.evaluate(() => (globalThis as unknown as NotedTimers).longTimers.resume());
}

/* Runs in the page: before anything of it does, where what it has set before counts, too. */
export function noteTimers(): void {
  if ('longTimers' in globalThis) return;
  const shortMs = 400;
  const due = new Map<number, () => void>();
  let isStopped = false;
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const start = globalThis[name] as (...given: unknown[]) => number;
    const startNoted = (work: unknown, ms = 0, ...rest: unknown[]): number => {
      const isLong = ms > shortMs || name === 'setInterval';
      if (!isLong || typeof work !== 'function') return start(work, ms, ...rest);
      const fire = (): void => {
        if (isStopped) due.set(timer, fire);
        else work(...rest);
      };
      const timer = start(fire, ms);
      return timer;
    };
    Object.assign(globalThis, { [name]: startNoted });
  }
  for (const name of ['clearTimeout', 'clearInterval'] as const) {
    const clear = globalThis[name] as (timer: number) => void;
    const clearNoted = (timer: number): void => {
      due.delete(timer);
      clear(timer);
    };
    Object.assign(globalThis, { [name]: clearNoted });
  }
  const stop = (): void => {
    isStopped = true;
  };
  const resume = (): void => {
    isStopped = false;
    const fires = [...due.values()];
    due.clear();
    for (const fire of fires) fire();
  };
  Object.assign(globalThis, { longTimers: { stop, resume } });
}

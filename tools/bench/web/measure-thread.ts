/*
 * Opening a long conversation under the throttle: from the tap on its row to the frame with its newest words. Once with all of it from the
 * network, the code of the screen included, and once with what the device has kept.
 */
import { type Traffic, watchTraffic } from './counters.ts';
import type { BenchWindow } from './page-watch.ts';
import { type Page, slow } from './throttle.ts';
import type { Measured, World } from './world.ts';

export interface Opened {
  readonly readableMs: number;
  readonly traffic: Traffic;
}

export async function openFromNetwork(world: World): Promise<Opened> {
  await using measured = await world.open({ hasWorker: false });
  await measured.go('/threads');
  return await openThread(measured, world);
}

export async function openFromCache(world: World): Promise<Opened> {
  await using measured = await world.open();
  const { page } = measured;
  await measured.go(`/threads/${world.long[0]}`);
  await page.getByText(world.lastWords, { exact: true }).first().waitFor();
  await page.evaluate(() => navigator.serviceWorker.ready);
  // What is shown is written down when nothing else is to be done.
  await page.waitForTimeout(1_500);
  await measured.go('/threads');
  return await openThread(measured, world);
}

async function openThread({ page, session }: Measured, world: World): Promise<Opened> {
  const row = page.locator(`a[href="/threads/${world.long[0]}"]`);
  await row.waitFor();
  await page.waitForLoadState('networkidle').catch(() => undefined);
  await slow(session);
  const traffic = await watchTraffic(session);
  const readable = untilReadable(page, world.lastWords);
  await row.tap();
  return { readableMs: await readable, traffic: traffic() };
}

/* From the tap on. In sight: not only somewhere in the page. */
export function untilReadable(page: Page, words: string): Promise<number> {
  return page.evaluate(async (text) => {
    const { until } = window as unknown as BenchWindow;
    let begunMs = performance.now();
    addEventListener('pointerdown', ({ timeStamp }) => (begunMs = timeStamp), { once: true });
    const readableMs = await until(() => {
      const scroller = document.querySelector('.conversation');
      if (scroller === null) return false;
      const below = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;
      return below < 24 && scroller.textContent.includes(text);
    });
    return readableMs - begunMs;
  }, words);
}

/*
 * A phone that is taken out of the pocket: its page was hidden, its connections are open and say nothing, and its agent has said something
 * meanwhile. How long until it is painted, and until that is on the screen, under the throttle.
 */
import {
  isEnd,
  prompt,
  talk,
  untilEvent,
} from '../../../packages/web/test/support/conversations.ts';
import type { BenchWindow } from './page-watch.ts';
import { type Page, slow } from './throttle.ts';
import type { World } from './world.ts';

export interface Returned {
  readonly paintedMs: number;
  readonly liveMs: number;
}

export type Break = 'half open' | 'closed with 1000';

/* Longer than the app trusts a connection of a hidden page. */
export const hiddenMs = 11_000;

export interface BreakOptions {
  readonly how: Break;
  readonly ms: number;
}

export async function comeBack(world: World, { how, ms }: BreakOptions): Promise<Returned> {
  const { client, proxy } = world.gateway;
  const threadId = await talk(client, 'Before the pocket.');
  await using measured = await world.open();
  const { page, session } = measured;
  await measured.go(`/threads/${threadId}`);
  await page.locator('.turn-end').first().waitFor();
  await slow(session);
  await setVisible(page, false);
  if (how === 'half open') proxy.strand();
  else proxy.closeNormally();
  await prompt(client, threadId, 'Inside the pocket.');
  await untilEvent(client, threadId, (event) => isEnd(event) && event.seq > 8);
  await page.waitForTimeout(ms);
  const begunMs = await setVisible(page, true);
  return await page.evaluate(async (begun) => {
    const { until } = window as unknown as BenchWindow;
    const shows = (text: string) => (): boolean =>
      [...document.querySelectorAll('.markdown')].some((one) => one.textContent.includes(text));
    const paintedMs = await until(shows('Before the pocket.'));
    const liveMs = await until(shows('Inside the pocket.'));
    return { paintedMs: paintedMs - begun, liveMs: liveMs - begun };
  }, begunMs);
}

/* As a browser tells a page; when it was told, by its own clock. */
function setVisible(page: Page, isVisible: boolean): Promise<number> {
  return page.evaluate((visible) => {
    Object.defineProperty(document, 'visibilityState', {
      configurable: true,
      get: () => (visible ? 'visible' : 'hidden'),
    });
    const now = performance.now();
    document.dispatchEvent(new Event('visibilitychange'));
    return now;
  }, isVisible);
}

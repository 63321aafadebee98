/*
 * From a login link to the first word of an agent under the throttle, by hand: how many taps, and how long. A person also types; that is not
 * counted.
 */
import type { BenchWindow } from './page-watch.ts';
import { slow } from './throttle.ts';
import type { World } from './world.ts';

export interface FirstWords {
  readonly taps: number;
  readonly tookMs: number;
}

export async function firstWords(world: World): Promise<FirstWords> {
  await using measured = await world.open({ isKnown: false });
  const { page, session } = measured;
  const link = await world.gateway.loginLink();
  await slow(session);
  // The first tap is the one on the link.
  let taps = 1;
  const begun = performance.now();
  await page.goto(link, { waitUntil: 'commit' });
  for (const control of [
    page.getByRole('link', { name: 'New', exact: true }),
    page.getByLabel('What should it do?'),
  ]) {
    taps += 1;
    await control.tap();
  }
  await page.keyboard.insertText('Say hello');
  taps += 1;
  await page.getByRole('button', { name: 'Start', exact: true }).tap();
  await page.evaluate(async () => {
    const { until } = window as unknown as BenchWindow;
    const isSaid = (): boolean =>
      [...document.querySelectorAll('.markdown')].some((one) => one.textContent.includes('hello'));
    await until(isSaid);
  });
  return { taps, tookMs: performance.now() - begun };
}

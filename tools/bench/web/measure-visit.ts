/*
 * A visit under the throttle: a browser that was never here, one that has the app in its worker, and one without a network. The app is usable
 * when a tap on another place was answered; the tap comes with the first frame that has the place.
 */
import { count, type Traffic, watchTraffic } from './counters.ts';
import { type BenchWindow, type PageNotes, readNotes } from './page-watch.ts';
import { type Page, slow } from './throttle.ts';
import type { Measured, World } from './world.ts';

export interface Visit extends PageNotes {
  /* Since the address was opened. */
  readonly shownMs: number;
  readonly answeredMs: number;
  /* From the tap on. */
  readonly tapMs: number;
  readonly busyMs: number;
  readonly traffic: Traffic;
}

export async function firstVisit(world: World): Promise<Visit> {
  await using measured = await world.open();
  return await visit(measured);
}

/* Before anybody is signed in. */
export async function firstGetIn(world: World): Promise<Visit> {
  await using measured = await world.open({ isKnown: false });
  const traffic = await watchTraffic(measured.session);
  await slow(measured.session);
  await measured.go('/');
  const tapped = await tapWhenThere(measured, {
    target: '.get-in summary',
    answer: '.get-in details[open]',
  });
  return { ...tapped, ...(await settle(measured)), traffic: traffic() };
}

/* Two visits of a browser that has been here: with a network and without. */
export async function laterVisits(
  world: World,
): Promise<{ readonly worker: Visit; readonly offline: Visit }> {
  await using measured = await world.open();
  const { page, phone, session } = measured;
  await measured.go('/inbox');
  await page.locator('nav.places').waitFor();
  await page.evaluate(() => navigator.serviceWorker.ready);
  // Once more, so that the worker answers for the page.
  await page.reload();
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await page.locator('main h1').waitFor();
  const worker = await visit(measured);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await phone.context.setOffline(true);
  const offline = await visit(measured);
  return { worker, offline };
}

async function visit(measured: Measured): Promise<Visit> {
  const { session } = measured;
  const traffic = await watchTraffic(session);
  await slow(session);
  await measured.go('/inbox');
  const tapped = await tapWhenThere(measured, {
    target: 'nav.places a[href="/threads"]',
    answer: 'nav.places a[href="/threads"][aria-current="page"]',
  });
  return { ...tapped, ...(await settle(measured)), traffic: traffic() };
}

interface Tap {
  readonly target: string;
  readonly answer: string;
}

async function tapWhenThere(
  { page, session }: Measured,
  { target, answer }: Tap,
): Promise<Pick<Visit, 'shownMs' | 'answeredMs' | 'tapMs'>> {
  const there = await page.evaluate(async (selector) => {
    const { until } = window as unknown as BenchWindow;
    const atMs = await until(() => (document.querySelector(selector)?.clientHeight ?? 0) > 0);
    const box = document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
    return { atMs, x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }, target);
  const answered = waitForAnswer(page, answer);
  const { x, y } = there;
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  const { tappedMs, answeredMs } = await answered;
  return { shownMs: there.atMs, answeredMs, tapMs: answeredMs - tappedMs };
}

function waitForAnswer(
  page: Page,
  selector: string,
): Promise<{ readonly tappedMs: number; readonly answeredMs: number }> {
  return page.evaluate(async (answer) => {
    const { until } = window as unknown as BenchWindow;
    let tappedMs = 0;
    addEventListener('pointerdown', ({ timeStamp }) => (tappedMs = timeStamp), { once: true });
    const answeredMs = await until(() => document.querySelector(answer) !== null);
    return { tappedMs, answeredMs };
  }, selector);
}

/* All that the page does by itself after it was opened. */
async function settle({ page, session }: Measured): Promise<PageNotes & Pick<Visit, 'busyMs'>> {
  await page.evaluate(
    () => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 5_000 })),
  );
  await page.waitForTimeout(500);
  return { ...(await readNotes(page)), busyMs: (await count(session)).busyMs };
}

/* The main thread's time for a page with one word, in the same browser. */
export async function emptyVisit(world: World): Promise<number> {
  await using measured = await world.open({ isKnown: false });
  const { page, session } = measured;
  await slow(session);
  await page.goto('data:text/html,<title>empty</title><p>empty');
  await settle(measured);
  return (await count(session)).busyMs;
}

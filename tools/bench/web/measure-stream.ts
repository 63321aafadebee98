/*
 * An agent that writes fifty pieces a second, with a slowed processor: how much of the main thread it takes to show them, how often the page
 * is laid out per frame, and whether what is looked at stands still. Once followed at the end, once by a reader three screens up. The first half
 * of the time is for the main thread, the second half is watched frame by frame.
 */
import { prompt } from '../../../packages/web/test/support/conversations.ts';
import { count } from './counters.ts';
import { readNotes } from './page-watch.ts';
import { type Page, type Session, slowProcessor } from './throttle.ts';
import type { World } from './world.ts';

export interface Streamed {
  /* Of all the time, in percent. */
  readonly busyPercent: number;
  readonly layoutsPerFrame: number;
  readonly longestTaskMs: number;
  /* At the end: how far it ever was from it. Above: how far the row that was looked at ever moved. */
  readonly offPx: number;
}

export interface StreamOptions {
  readonly pieces: number;
  readonly isAtEnd: boolean;
}

const everyMs = 20;

export async function streamInto(world: World, options: StreamOptions): Promise<Streamed> {
  const { client } = world.gateway;
  const { thread } = await client.threads.create({ body: { agent: 'writer' } });
  await prompt(client, thread.id, 'write 400 every 0');
  await using measured = await world.open();
  const { page, session } = measured;
  await measured.go(`/threads/${thread.id}`);
  await page.getByText('Everything is written.').waitFor();
  await slowProcessor(session);
  if (!options.isAtEnd) await page.evaluate(goUp);
  await prompt(client, thread.id, `write ${options.pieces} every ${everyMs}`);
  await page.locator('p.working').waitFor({ state: 'attached' });
  await readNotes(page);
  const busyPercent = await busyFor(page, session, (options.pieces * everyMs) / 2);
  const { longestTaskMs } = await readNotes(page);
  await page.evaluate(watchPlace, options.isAtEnd);
  const { layouts } = await count(session);
  await page.waitForFunction(() => document.querySelector('p.working') === null, undefined, {
    polling: 500,
    timeout: 0,
  });
  const after = await count(session);
  const { offPx, frames } = await readPlace(page);
  const layoutsPerFrame = (after.layouts - layouts) / frames;
  return { busyPercent, layoutsPerFrame, longestTaskMs, offPx };
}

/* Without asking for frames meanwhile: that costs as much as showing the pieces. */
async function busyFor(page: Page, session: Session, ms: number): Promise<number> {
  const before = await count(session);
  const begun = performance.now();
  await page.waitForTimeout(ms);
  const after = await count(session);
  return ((after.busyMs - before.busyMs) / (performance.now() - begun)) * 100;
}

/* The same for a page on which nothing happens. */
export async function streamNothing(world: World, ms: number): Promise<number> {
  await using measured = await world.open({ isKnown: false });
  const { page, session } = measured;
  await page.goto('data:text/html,<title>empty</title><p>empty');
  await slowProcessor(session);
  return await busyFor(page, session, ms);
}

interface Place {
  offPx: number;
  frames: number;
}

function readPlace(page: Page): Promise<Place> {
  return page.evaluate(() => (window as unknown as { place: Place }).place);
}

/* In the page: three screens, with a frame between them. */
async function goUp(): Promise<void> {
  const scroller = document.querySelector('.conversation');
  for (let n = 0; n < 3; n += 1) {
    if (scroller !== null) scroller.scrollTop -= scroller.clientHeight;
    for (let frames = 0; frames < 30; frames += 1)
      await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

/* In the page, in every frame after it was laid out. */
function watchPlace(isAtEnd: boolean): void {
  const place: Place = { offPx: 0, frames: 0 };
  (window as unknown as { place: Place }).place = place;
  const scroller = document.querySelector('.conversation');
  if (scroller === null) return;
  const middle = scroller.getBoundingClientRect().top + scroller.clientHeight / 2;
  const row = [...document.querySelectorAll('.stretch > li')].find(
    (item) => item.getBoundingClientRect().bottom > middle,
  );
  const first = row?.getBoundingClientRect().top ?? 0;
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener('message', () => {
    place.frames += 1;
    const off = isAtEnd
      ? scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop
      : Math.abs((row?.getBoundingClientRect().top ?? 0) - first);
    place.offPx = Math.max(place.offPx, off);
    requestAnimationFrame(() => port2.postMessage(null));
  });
  port1.start();
  requestAnimationFrame(() => port2.postMessage(null));
}

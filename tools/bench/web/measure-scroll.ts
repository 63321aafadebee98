/*
 * Scrolling through a long conversation from its end to its beginning, with a slowed processor: how long each frame took, how
 * many nodes there were, and how much of the main thread it needed. Beside it, in the same browser, a page of the same height with nothing
 * but boxes.
 */
import { countHeap } from '../../../packages/web/test/support/page-memory.ts';
import { count } from './counters.ts';
import { readNotes } from './page-watch.ts';
import { slowProcessor, type Session } from './throttle.ts';
import type { Measured, World } from './world.ts';

export interface Scrolled {
  /* Between two frames, in milliseconds, while it moved. */
  readonly framesMs: readonly number[];
  readonly busyMsPerFrame: number;
  readonly longTasks: number;
  readonly longestTaskMs: number;
  readonly nodesMost: number;
  readonly heapMegabytes: number;
  readonly pixels: number;
}

/* In pixels a second: five screens. */
const speed = 4_000;
const stepPixels = 6_000;

export interface ScrollOptions {
  /* At most; less where it comes to the beginning before. */
  readonly pixelsMax: number;
}

export async function scrollThread(world: World, options: ScrollOptions): Promise<Scrolled> {
  await using measured = await world.open();
  await measured.go(`/threads/${world.long[0]}`);
  await measured.page.getByText(world.lastWords, { exact: true }).first().waitFor();
  return await scroll(measured, options);
}

export async function scrollBoxes(world: World, options: ScrollOptions): Promise<Scrolled> {
  await using measured = await world.open({ isKnown: false });
  const { pixelsMax } = options;
  const height = Math.min(pixelsMax, 400_000);
  const box = `<div style='height:100px;border-bottom:1px solid'>a box</div>`;
  await measured.page.goto(
    `data:text/html,<meta name=viewport content=width=device-width><body style=margin:0><div class=conversation style='height:100vh;overflow-y:auto'></div>`,
  );
  await measured.page.evaluate(
    ([html, times]) => {
      const scroller = document.querySelector('.conversation');
      if (scroller === null) return;
      scroller.innerHTML = html.repeat(times);
      scroller.scrollTop = scroller.scrollHeight;
    },
    [box, Math.round(height / 101)] as const,
  );
  return await scroll(measured, options);
}

interface Watched {
  framesMs: number[];
  nodesMost: number;
  isMoving: boolean;
}

async function scroll(
  { page, session }: Measured,
  { pixelsMax }: ScrollOptions,
): Promise<Scrolled> {
  await slowProcessor(session);
  await page.evaluate(watchFrames);
  await readNotes(page);
  const before = await count(session);
  let pixels = 0;
  let isAtTop = false;
  while (!isAtTop && pixels < pixelsMax) {
    await scrollOn(session);
    pixels += stepPixels;
    isAtTop = await page.evaluate(untilOlderIsThere);
  }
  const after = await count(session);
  const { framesMs, nodesMost } = await page.evaluate(
    () => (window as unknown as { watched: Watched }).watched,
  );
  const { longTasks, longestTaskMs } = await readNotes(page);
  return {
    framesMs,
    nodesMost,
    longTasks,
    longestTaskMs,
    busyMsPerFrame: (after.busyMs - before.busyMs) / framesMs.length,
    heapMegabytes: (await countHeap(session)) / 1_000_000,
    pixels,
  };
}

async function scrollOn(session: Session): Promise<void> {
  await session.send('Input.synthesizeScrollGesture', {
    x: 190,
    y: 300,
    yDistance: stepPixels,
    speed,
    // Fingers of this command do not reach a page with emulated touch.
    gestureSourceType: 'mouse',
  });
}

/* In the page: every frame while it moves. */
function watchFrames(): void {
  const watched: Watched = { framesMs: [], nodesMost: 0, isMoving: false };
  (window as unknown as { watched: Watched }).watched = watched;
  const scroller = document.querySelector('.conversation');
  let lastMs = 0;
  let lastTop = scroller?.scrollTop ?? 0;
  let frames = 0;
  const look = (atMs: number): void => {
    const top = scroller?.scrollTop ?? 0;
    const isMoving = top !== lastTop;
    // The first frame of a movement waited for the finger.
    if (isMoving && watched.isMoving) watched.framesMs.push(atMs - lastMs);
    if (isMoving && frames++ % 10 === 0)
      watched.nodesMost = Math.max(watched.nodesMost, document.querySelectorAll('*').length);
    watched.isMoving = isMoving;
    lastMs = atMs;
    lastTop = top;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/* In the page: true at the very beginning; what is older is waited for. */
async function untilOlderIsThere(): Promise<boolean> {
  const scroller = document.querySelector('.conversation');
  const frame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));
  for (let n = 0; n < 600; n += 1) {
    await frame();
    if ((scroller?.scrollTop ?? 0) > 2_000) return false;
    if (n > 60 && document.querySelector('.older') === null && scroller?.scrollTop === 0)
      return true;
  }
  return true;
}

/*
 * The seconds of a page, moved by the test: what the page itself waits for takes as long as it says, and what others take, such as a gateway that
 * starts or a network, takes none of them.
 */
import type { Page, Request } from 'playwright-core';

export interface PageTime {
  /* Stands still from now on. */
  pause(): Promise<void>;
  /* So much of it passes, or less where it is so before. */
  passUntil(isSo: () => Promise<boolean>, mostMs: number): Promise<void>;
  /* Goes on as everybody's does. */
  resume(): Promise<void>;
  /* Whether the stream of the account was opened since the time stood still. */
  readonly isFollowing: boolean;
}

const stepMs = 100;

export async function openPageTime(page: Page): Promise<PageTime> {
  await page.clock.install();
  const asked = new Set<Request>();
  const waiting = new Set<() => void>();
  let isFollowing = false;
  const settle = (request: Request): void => {
    asked.delete(request);
    if (asked.size > 0) return;
    for (const resume of waiting) resume();
    waiting.clear();
  };
  page.on('request', (request) => {
    if (isStream(request)) asked.add(request);
  });
  page.on('requestfailed', settle);
  page.on('response', (response) => {
    const request = response.request();
    if (isStream(request) && response.ok() && isOfAccount(request)) isFollowing = true;
    settle(request);
  });
  const answered = async (): Promise<void> => {
    // What the page has just asked for is told by then.
    await page.evaluate(() => undefined);
    if (asked.size > 0) await new Promise<void>((resolve) => waiting.add(resolve));
  };
  return {
    pause: async () => {
      // A little later, or it would lie in the past by the time that it is said.
      await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000));
      isFollowing = false;
    },
    passUntil: async (isSo, mostMs) => {
      for (let ms = 0; ms < mostMs && !(await isSo()); ms += stepMs) {
        await page.clock.runFor(stepMs);
        await answered();
      }
    },
    resume: () => page.clock.resume(),
    get isFollowing() {
      return isFollowing;
    },
  };
}

function isStream(request: Request): boolean {
  return request.headers()['accept'] === 'text/event-stream';
}

function isOfAccount(request: Request): boolean {
  return new URL(request.url()).pathname === '/api/v1/events';
}

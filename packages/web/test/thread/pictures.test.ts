/*
 * Pictures from an agent, in a real browser: each has its place before the browser has read it, of the size that it then has, and is never
 * larger than the screen.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { pictureSizeOf } from '../../src/thread/rows/picture-size.ts';
import { openChromium } from '../support/chromium.ts';
import { fillThread, type WrittenEvent } from '../support/fill-thread.ts';
import { openPhone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';

let browser: Browser;
let gateway: RealGateway;

before(async () => {
  gateway = await openRealGateway();
  browser = await openChromium();
});
after(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

interface Picture {
  readonly mimeType: string;
  readonly data: string;
  readonly width: number;
  readonly height: number;
}

/* One pixel of each format that a browser does not write. */
const gif = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
const losslessWebp = 'UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==';

/* Drawn by the browser, so that they are as real ones are. */
async function makePictures(): Promise<readonly Picture[]> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const drawn = await page.evaluate(() =>
    (
      [
        ['image/png', 300, 200],
        ['image/png', 800, 450],
        ['image/jpeg', 300, 1_000],
        ['image/webp', 200, 50],
      ] as const
    ).map(([mimeType, width, height]) => {
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width, height });
      canvas.getContext('2d')?.fillRect(0, 0, width / 2, height / 2);
      return { mimeType, width, height, data: canvas.toDataURL(mimeType).split(',')[1] ?? '' };
    }),
  );
  await context.close();
  return [
    ...drawn,
    { mimeType: 'image/gif', width: 1, height: 1, data: gif },
    { mimeType: 'image/webp', width: 1, height: 1, data: losslessWebp },
  ];
}

test('the size of a picture is in its first bytes; what ends too early, or is something else, has none', async () => {
  for (const { mimeType, data, width, height } of await makePictures()) {
    assert.deepEqual(pictureSizeOf(data, mimeType), { width, height }, mimeType);
    assert.equal(pictureSizeOf(data.slice(0, 8), mimeType), undefined, mimeType);
    assert.equal(pictureSizeOf('no base64!', mimeType), undefined, mimeType);
  }
  assert.equal(pictureSizeOf(gif, 'image/avif'), undefined);
});

test('a picture has its place before it is read, and nothing moves when it is', async () => {
  const pictures = await makePictures();
  const broken = { mimeType: 'image/png', data: 'bm8gcGljdHVyZQ==' };
  const id = await fillThread(
    gateway,
    [...pictures, broken].map(
      ({ mimeType, data }): WrittenEvent => ({
        type: 'message',
        payload: { role: 'agent', block: { type: 'image', mimeType, data } },
        turnId: 'turn-pictures',
      }),
    ),
  );
  await using phone = await openPhone(browser, {
    gateway,
    isSignedIn: false,
    // Chromium says so of a picture that is none.
    expects: [/ERR_INVALID_URL/],
  });
  const { page } = phone;
  await page.addInitScript(noteFirstSizes);
  const { hash } = new URL(await gateway.loginLink());
  await page.goto(`${gateway.url}/threads/${id}${hash}`);
  await page.locator('.picture').nth(pictures.length).waitFor();
  const found = await page.locator('.picture').evaluateAll((all) =>
    Promise.all(
      (all as HTMLImageElement[]).map(async (one) => {
        // The broken one is never read.
        await one.decode().catch(() => undefined);
        const { width, height } = one.getBoundingClientRect();
        const { first } = one as HTMLImageElement & { first?: { width: number; height: number } };
        return { first, now: { width, height }, ratio: one.naturalWidth / one.naturalHeight };
      }),
    ),
  );
  for (const [at, { first, now, ratio }] of found.entries()) {
    assert.deepEqual(now, first, `picture ${at}`);
    assert.ok(now.width > 0 && now.width <= 390 && now.height <= 844 * 0.6 + 1, `picture ${at}`);
    if (Number.isNaN(ratio)) continue;
    assert.ok(Math.abs(now.width / now.height / ratio - 1) < 0.02, `picture ${at}: ${ratio}`);
  }
  assert.equal(await page.locator('.picture.of-any-size').count(), 1);
});

/* In the page, before its scripts: the size of each picture when it comes into the page, which is before it is read. */
function noteFirstSizes(): void {
  new MutationObserver(() => {
    for (const one of document.querySelectorAll<HTMLImageElement>('.picture')) {
      if ('first' in one) continue;
      const { width, height } = one.getBoundingClientRect();
      Object.assign(one, { first: { width, height } });
    }
  }).observe(document, { childList: true, subtree: true });
}

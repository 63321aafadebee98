/*
 * The keyboard of a phone in a real browser: opened, closed, turned with the phone, and met again after another app. Four sizes, and the three
 * ways in which browsers tell of it. The field to write in stands on the keyboard, the head is in view, and nothing is left when it is gone.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { talk } from '../support/conversations.ts';
import { openPhone, phoneSizes, setVisible } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';

let browser: Browser;
let gateway: RealGateway;
let threadId: string;

before(async () => {
  gateway = await openRealGateway();
  browser = await openChromium();
  threadId = await talk(gateway.client, 'A word to answer.');
});
after(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

interface Sides {
  readonly width: number;
  readonly height: number;
}

/* How a browser shows that so much of the page is covered; `isTold` is false where it says nothing. */
type Cover = (
  rig: { readonly page: Page; readonly session: CDPSession },
  covered: { readonly of: Sides; readonly px: number; readonly isTold: boolean },
) => Promise<void>;

/* Android: the page itself is smaller. */
const shrinkPage: Cover = ({ session }, { of, px }) => setSize(session, of, of.height - px);

/* iOS: only the visual viewport is, and `innerHeight` says nothing. */
const shrinkViewport: Cover = async ({ page, session }, { of, px, isTold }) => {
  await setSize(session, of);
  await page.evaluate(
    ([coveredPx, isSaid]) => {
      const { covered } = window as unknown as CoveredWindow;
      covered.px = coveredPx;
      if (isSaid) visualViewport?.dispatchEvent(new Event('resize'));
    },
    [px, isTold] as const,
  );
};

/* iOS, too: it tells of it a frame before the height can be read. */
const shrinkLater: Cover = async ({ page, session }, { of, px, isTold }) => {
  await setSize(session, of);
  await page.evaluate(
    ([coveredPx, isSaid]) => {
      const { covered } = window as unknown as CoveredWindow;
      if (isSaid) visualViewport?.dispatchEvent(new Event('resize'));
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          covered.px = coveredPx;
        }),
      );
    },
    [px, isTold] as const,
  );
};

const sizes = ['usual', 'android', 'small', 'sideways'] as const;

for (const [name, cover, isOwnViewport] of [
  ['the page is made smaller', shrinkPage, false],
  ['only the visual viewport is made smaller', shrinkViewport, true],
  ['the viewport tells of it before its height is right', shrinkLater, true],
] as const) {
  test(`${name}: what is written in stands on the keyboard, in four sizes`, async () => {
    await using phone = await openPhone(browser, { gateway, at: `/threads/${threadId}` });
    const { page, context } = phone;
    if (isOwnViewport) {
      await page.addInitScript(ownViewport);
      await page.reload();
    }
    await page.locator('.markdown').first().waitFor();
    const session = await context.newCDPSession(page);
    const found: string[] = [];
    for (const size of sizes) {
      const upright: Sides = phoneSizes[size];
      const turned: Sides = { width: upright.height, height: upright.width };
      const step = async (what: string, act: () => Promise<void>): Promise<void> => {
        await act();
        await settle(page);
        found.push(...(await lookAt(page)).map((wrong) => `${size}, ${what}: ${wrong}`));
      };
      const show =
        (of: Sides, px: number, isTold = true) =>
        async (): Promise<void> =>
          cover({ page, session }, { of, px, isTold });
      await step('closed', show(upright, 0));
      await page.locator('.composer textarea').tap();
      await step('open', show(upright, keyboardOf(upright)));
      await step('turned', show(turned, keyboardOf(turned)));
      await step('turned back', show(upright, keyboardOf(upright)));
      await step('in another app', async () => {
        await setVisible(page, false);
        await show(upright, 0, false)();
        await setVisible(page, true);
      });
      await step('back, with the keyboard up', async () => {
        await setVisible(page, false);
        await show(upright, keyboardOf(upright), false)();
        await setVisible(page, true);
      });
      await page.locator('.composer textarea').blur();
      await step('closed again', show(upright, 0));
    }
    assert.deepEqual(found, []);
  });
}

function keyboardOf({ height }: Sides): number {
  return Math.round(height * (height < 500 ? 0.5 : 0.4));
}

async function setSize(
  session: CDPSession,
  { width, height }: Sides,
  visible = height,
): Promise<void> {
  await session.send('Emulation.setDeviceMetricsOverride', {
    width,
    height: visible,
    screenWidth: width,
    screenHeight: height,
    deviceScaleFactor: 2,
    mobile: true,
  });
}

interface CoveredWindow extends Window {
  covered: { px: number };
}

/* In the page, before its scripts: a visual viewport that a keyboard can cover, as the one of iOS. */
function ownViewport(): void {
  const covered = { px: 0 };
  (window as unknown as CoveredWindow).covered = covered;
  const own = Object.defineProperties(new EventTarget(), {
    width: { get: () => innerWidth },
    height: { get: () => innerHeight - covered.px },
    scale: { value: 1 },
    offsetTop: { value: 0 },
    offsetLeft: { value: 0 },
  });
  Object.defineProperty(window, 'visualViewport', { value: own });
}

/* In frames: longer than it takes until a height holds still. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let n = 0; n < 12; n += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  });
}

/* What is not where it belongs. */
function lookAt(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const boxOf = (selector: string): DOMRect =>
      document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
    const visible = visualViewport?.height ?? 0;
    const composer = boxOf('.composer');
    const head = boxOf('.head');
    const places = boxOf('.places');
    const wrongs: string[] = [];
    const at = (what: string, is: number, is0: number): void => {
      if (Math.abs(is - is0) > 1) wrongs.push(`${what} at ${is}, not ${is0}`);
    };
    const isCovered = visible < screen.height - 1;
    if (isCovered) at('the composer ends', composer.bottom, visible);
    else at('the places end', places.bottom, visible);
    if (!isCovered) at('the composer ends', composer.bottom, places.top);
    at('the head begins', head.top, 0);
    if (head.height < 40 || composer.height < 40) wrongs.push('the head or the composer is cut');
    if (head.bottom > composer.top + 1) wrongs.push('the head is covered');
    at('the page is scrolled', scrollY, 0);
    return wrongs;
  });
}

/*
 * A conversation of 10,000 events in a real browser: few nodes, a first page that is small, and nothing that moves under the reader while an
 * agent writes.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { isApproval, talk } from '../support/conversations.ts';
import { fillThread, ordinaryEvents } from '../support/fill-thread.ts';
import { openPhone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';

let browser: Browser;
let gateway: RealGateway;
let threadId: string;

before(async () => {
  gateway = await openRealGateway();
  browser = await openChromium();
  threadId = await fillThread(gateway, ordinaryEvents(10_000));
});
after(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

const nodesMax = 3_000;
const pageBytesMax = 96_000;

test('the newest page is readable for less than 96 kB, and the whole of it is scrolled through with fewer than 3,000 nodes', async () => {
  await using phone = await openPhone(browser, { gateway, at: `/threads/${threadId}` });
  const { page } = phone;
  const [answer] = await Promise.all([
    page.waitForResponse((one) => one.url().includes(`/threads/${threadId}/history`)),
    page.reload(),
  ]);
  await page.getByText('Part 500', { exact: true }).waitFor();
  const { responseBodySize: bytes } = await answer.request().sizes();
  assert.ok(bytes > 1_000, 'the page was loaded anew');
  assert.ok(bytes < pageBytesMax, `${bytes} bytes`);
  const seen = await page.evaluate(scrollToTheTop);
  assert.ok(seen.nodesMost < nodesMax, `${seen.nodesMost} nodes`);
  await page.getByText('Question 1: how does part 1 work?').waitFor();
  assert.equal(await page.locator('.older').count(), 0);
});

/* In the page: some screens at a time, as fast as it is drawn, until nothing is older. */
async function scrollToTheTop(): Promise<{ readonly nodesMost: number }> {
  const scroller = document.querySelector('.conversation');
  if (scroller === null) throw new Error('there is no conversation');
  let nodesMost = 0;
  const frame = (): Promise<void> =>
    new Promise((resolve) => requestAnimationFrame(() => resolve()));
  for (let still = 0; still < 20; ) {
    const text = scroller.textContent;
    scroller.scrollTop -= 4 * scroller.clientHeight;
    await frame();
    nodesMost = Math.max(nodesMost, document.querySelectorAll('*').length);
    const isTop = scroller.scrollTop === 0 && document.querySelector('.older') === null;
    still = isTop && scroller.textContent === text ? still + 1 : 0;
  }
  return { nodesMost };
}

test('who scrolls up moves by as much as they scroll, although older pages come and heights were guessed', async () => {
  await using phone = await openPhone(browser, { gateway, at: `/threads/${threadId}` });
  const { page } = phone;
  await page.locator('.turn-end').last().waitFor();
  const { steps, off, first, last } = await page.evaluate(scrollByHand);
  assert.ok(steps > 100, `${steps} steps`);
  assert.notEqual(first, last, 'it has come to other rows');
  assert.deepEqual(off, []);
});

/* In the page: small steps, and after each one a look at how far a row on the screen has moved, in two frames as they were painted. */
async function scrollByHand() {
  const scroller = document.querySelector('.conversation') as HTMLElement;
  const frame = (): Promise<void> =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener('message', () => resolve(), { once: true });
      port1.start();
      requestAnimationFrame(() => port2.postMessage(null));
    });
  const rowInView = (): HTMLElement | undefined => {
    const { top } = scroller.getBoundingClientRect();
    return [...document.querySelectorAll<HTMLElement>('.stretch > li[data-key]')].find(
      (item) => item.getBoundingClientRect().top > top + 40,
    );
  };
  const first = rowInView()?.dataset['key'];
  const off: string[] = [];
  let steps = 0;
  for (; steps < 150 && scroller.scrollTop > 400; steps += 1) {
    const row = rowInView();
    const before = row?.getBoundingClientRect().top ?? 0;
    scroller.scrollTop -= 200;
    for (let n = 0; n < 2; n += 1) {
      await frame();
      const moved = (row?.getBoundingClientRect().top ?? 0) - before;
      if (Math.abs(moved - 200) > 1) off.push(`step ${steps}: ${moved}`);
    }
  }
  return { steps, off, first, last: rowInView()?.dataset['key'] };
}

test('while an agent writes and an older page comes, what a reader far up looks at stands still', async () => {
  await using phone = await openPhone(browser, { gateway, at: `/threads/${threadId}` });
  const { page } = phone;
  // The page before the first one waits until the agent is in the middle of its text.
  const older = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await page.route(/history\?.*before=/, async (route) => {
    asked.resolve();
    await older.promise;
    await route.continue();
  });
  await page.getByText('Part 500', { exact: true }).waitFor();
  await page.evaluate(scrollToOldest);
  await asked.promise;
  await page.getByRole('button', { name: /To the end|new/ }).waitFor();
  await page.evaluate(watchAnchor);
  // After each piece of its text the agent waits until the page was looked at as it is then.
  const pieces = ['first', 'second', 'third', 'fourth'];
  await gateway.client.threads.prompt({
    params: { id: threadId },
    body: {
      text: `${pieces.map((piece) => `say 400 words\nsleep at ${piece}`).join('\n')}\nsay 1500 words\n\nThe last line`,
    },
  });
  await page.getByRole('button', { name: /\d+ new/ }).waitFor();
  for (const piece of pieces) {
    using gate = gateway.gate(piece);
    await gate.reached();
    await untilLookedAt(page, 5);
    const written = await page.evaluate(readAnchor);
    assert.deepEqual(written.wrongs, [], piece);
    assert.equal(written.writes, 0, 'the position is not written for what comes at the end');
    assert.equal(await page.locator('.older').count(), 1, 'what is older is not here yet');
    if (piece === pieces.at(-1)) older.resolve();
  }
  await page.locator('.older').waitFor({ state: 'detached' });
  await page.locator('.thread-facts').getByText('done').waitFor();
  await untilLookedAt(page, 5);
  assert.deepEqual((await page.evaluate(readAnchor)).wrongs, []);
});

/* Until the page was painted and looked at so many times more. */
async function untilLookedAt(page: Page, times: number): Promise<void> {
  const { frames } = await page.evaluate(readAnchor);
  await page.waitForFunction(
    (count) => (window as unknown as AnchorWindow).anchor.frames >= count,
    frames + times,
  );
}

test('at the end it stays at the end while an agent writes, and a finger on it ends that at once', async () => {
  await using phone = await openPhone(browser, { gateway, at: `/threads/${threadId}` });
  const { page } = phone;
  await page.locator('.turn-end').last().waitFor();
  await gateway.client.threads.prompt({
    params: { id: threadId },
    body: { text: 'say 500 words' },
  });
  await page.locator('.thread-facts').getByText('done').waitFor();
  await page.getByText('word-500').waitFor();
  const below = (): Promise<number> =>
    page
      .locator('.conversation')
      .evaluate((element) => element.scrollHeight - element.clientHeight - element.scrollTop);
  assert.ok((await below()) <= 2, `${await below()} px below`);

  using gate = gateway.gate('finger');
  await gateway.client.threads.prompt({
    params: { id: threadId },
    body: { text: 'Before.\nsleep at finger\nsay 400 words' },
  });
  await page.getByText('Before.').last().waitFor();
  await page.evaluate(countWrites);
  const touch = await page.context().newCDPSession(page);
  await touch.send('Input.dispatchTouchEvent', {
    type: 'touchStart',
    touchPoints: [{ x: 200, y: 400 }],
  });
  await gate.reached();
  gate.release();
  await page.getByRole('button', { name: /\d+ new/ }).waitFor();
  await page.locator('.thread-facts').getByText('done').waitFor();
  assert.equal(await page.evaluate('window.scrollWrites'), 0, 'nothing is scrolled under a finger');
  assert.ok((await below()) > 24, 'it is left behind');
  // Longer than a tap.
  const now = await page.evaluate(() => performance.now());
  await page.waitForFunction((begun) => performance.now() - begun > 600, now);
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await page.getByRole('button', { name: /\d+ new/ }).click();
  await page.getByText('word-400').last().waitFor();
});

test('what asks is shown from its beginning, and who goes on to its end stays there', async () => {
  const command = Array.from({ length: 60 }, (_, index) => `touch file-${index}`).join(' && ');
  const asking = await talk(gateway.client, `ask: ${command}`, isApproval);
  await using phone = await openPhone(browser, {
    gateway,
    size: 'small',
    at: `/threads/${asking}`,
  });
  const { page } = phone;
  const head = page.locator('.decision').getByText('asks to');
  await head.waitFor();
  await page.waitForFunction(() => {
    const card = document.querySelector('.decision')?.getBoundingClientRect();
    const screen = document.querySelector('.conversation')?.getBoundingClientRect();
    const isBegun = card !== undefined && screen !== undefined && card.top >= screen.top;
    return isBegun && card.top < screen.bottom && card.bottom > screen.bottom;
  });
  await page.getByRole('button', { name: /To the end|new/ }).tap();
  const allow = page.locator('.decision-bar button[aria-disabled="false"]', {
    hasText: 'Allow once',
  });
  await allow.waitFor();
  // Longer than it takes to come to rest.
  const now = await page.evaluate(() => performance.now());
  await page.waitForFunction((begun) => performance.now() - begun > 600, now);
  await allow.waitFor();
  const isThere = await allow.evaluate(
    (button) => button.getBoundingClientRect().bottom <= innerHeight,
  );
  assert.ok(isThere, 'it is not thrown back');
});

/* In the page: until the oldest row that is here is a little above the screen, and the list is at rest. */
async function scrollToOldest(): Promise<void> {
  const scroller = document.querySelector('.conversation') as HTMLElement;
  const frames = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1)
      await new Promise((resolve) => requestAnimationFrame(resolve));
  };
  const oldestTop = (): number =>
    document.querySelector('.older + li')?.getBoundingClientRect().top ?? Number.NEGATIVE_INFINITY;
  while (oldestTop() < scroller.getBoundingClientRect().top - 200) {
    scroller.scrollTop -= Math.min(scroller.clientHeight, 600);
    await frames(2);
  }
  scroller.scrollTop += 300;
  await frames(30);
}

interface AnchorWindow {
  anchor: { wrongs: string[]; frames: number };
  scrollWrites: number;
}

/* In the page: looks in each frame, as it was painted, where the row in the middle of the screen is. */
function watchAnchor(): void {
  const page = window as unknown as AnchorWindow;
  const scroller = document.querySelector('.conversation') as HTMLElement;
  const middle = scroller.getBoundingClientRect().top + scroller.clientHeight / 2;
  const row = [...document.querySelectorAll<HTMLElement>('.stretch > li[data-key]')].find(
    (item) => item.getBoundingClientRect().bottom > middle,
  );
  if (row === undefined) throw new Error('there is no row');
  const { top, height } = row.getBoundingClientRect();
  const text = row.textContent;
  const selector = `.stretch > li[data-key="${row.dataset['key'] ?? ''}"]`;
  page.anchor = { wrongs: [], frames: 0 };
  page.scrollWrites = 0;
  const position = Object.getOwnPropertyDescriptor(
    Element.prototype,
    'scrollTop',
  ) as Required<PropertyDescriptor>;
  Object.defineProperty(scroller, 'scrollTop', {
    get: () => position.get.call(scroller) as number,
    set: (px: number) => {
      page.scrollWrites += 1;
      position.set.call(scroller, px);
    },
  });
  const look = (): void => {
    page.anchor.frames += 1;
    // By its key: it may be drawn anew.
    const now = document.querySelector<HTMLElement>(selector);
    const box = now?.getBoundingClientRect() ?? new DOMRect();
    const isSame = now?.textContent === text && Math.abs(box.height - height) <= 1;
    const moved = box.top - top;
    if (!isSame || Math.abs(moved) > 1)
      page.anchor.wrongs.push(
        `frame ${page.anchor.frames}: ${now === null ? 'gone' : isSame ? `moved by ${moved}` : 'changed'}`,
      );
  };
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener('message', () => {
    look();
    requestAnimationFrame(() => port2.postMessage(null));
  });
  port1.start();
  requestAnimationFrame(() => port2.postMessage(null));
}

function readAnchor(): AnchorWindow['anchor'] & { readonly writes: number } {
  const { anchor, scrollWrites: writes } = window as unknown as AnchorWindow;
  return { wrongs: anchor.wrongs.slice(0, 20), frames: anchor.frames, writes };
}

function countWrites(): void {
  const page = window as unknown as { scrollWrites: number };
  const scroller = document.querySelector('.conversation') as HTMLElement;
  const position = Object.getOwnPropertyDescriptor(
    Element.prototype,
    'scrollTop',
  ) as Required<PropertyDescriptor>;
  page.scrollWrites = 0;
  scroller.addEventListener('touchstart', () => {
    page.scrollWrites = 0;
  });
  Object.defineProperty(scroller, 'scrollTop', {
    get: () => position.get.call(scroller) as number,
    set: (px: number) => {
      page.scrollWrites += 1;
      position.set.call(scroller, px);
    },
  });
}

/*
 * The pill that leads back to the end, and the card of a decision, in a real browser: the one never lies over what can be tapped in the other,
 * also while a decision is held, and a tap on a card does not bring it.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { isApproval, talk } from '../support/conversations.ts';
import { stopTimers } from '../support/long-timers.ts';
import { openPhone, type Phone } from '../support/phone.ts';
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

for (const textSize of ['usual', 'largest'] as const) {
  test(`while a decision is held, Undo is hit in its whole width however far one has scrolled (letters: ${textSize})`, async () => {
    const id = await talk(gateway.client, 'say 150 words\nask: x', isApproval);
    await using phone = await openAsked(id, textSize);
    const { page } = phone;
    await tapAllow(page);
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.waitFor();
    const { shown, covered } = await page.evaluate(scrollUpUnderThePill);
    assert.ok(shown > 0, 'the pill was there');
    assert.deepEqual(covered, []);
    // Where a pill in the middle of the screen would reach it.
    await undo.click({ position: { x: 6, y: 28 } });
    await page.getByText('Taken back. Nothing was sent.').waitFor();
    const { items } = await gateway.client.asks.list();
    const ask = items.find(({ thread_id: of }) => of === id);
    assert.equal(ask?.state, 'open');
  });
}

for (const text of ['ask: x', 'say 150 words\nask: x', 'question: Which way?']) {
  test(`a card stays as high as it is when what was chosen takes the place of its buttons, and no pill flashes (${JSON.stringify(text)})`, async () => {
    const asks = ({ type }: { readonly type: string }) =>
      type === 'approval' || type === 'question';
    const id = await talk(gateway.client, text, asks);
    await using phone = await openAsked(id, 'usual');
    const { page } = phone;
    const word = text.startsWith('question') ? 'Decline' : 'Allow once';
    await armed(page, word).waitFor();
    await page.evaluate(watchCard);
    await tapAllow(page, word);
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.evaluate(untilAtRest);
    const { heights, tops, pills } = await page.evaluate(
      () => (window as unknown as WatchedWindow).watched,
    );
    assert.equal(heights.length, 1, `heights: ${heights.join(', ')}`);
    assert.equal(tops.length, 1, `it stood at ${tops.join(', ')}`);
    assert.equal(pills, 0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Taken back. Nothing was sent.').waitFor();
  });
}

const armed = (page: Page, word: string) =>
  page.locator('.decision-bar button[aria-disabled="false"]', { hasText: word });

/* At the thread, with the longest time for undo. */
async function openAsked(id: string, textSize: string): Promise<Phone> {
  const phone = await openPhone(browser, { gateway });
  await phone.page.evaluate(
    (size) =>
      localStorage.setItem('clf-preferences', JSON.stringify({ undoMs: 5_000, textSize: size })),
    textSize,
  );
  await phone.page.goto(new URL(`/threads/${id}`, gateway.url).href);
  await phone.page.locator('.decision').waitFor();
  return phone;
}

/* With a finger. A button that has just moved takes no tap. What was chosen is held for as long as the test looks at it. */
async function tapAllow(page: Page, word = 'Allow once'): Promise<void> {
  await stopTimers(page);
  const undo = page.getByRole('button', { name: 'Undo' });
  while ((await undo.count()) === 0) {
    await armed(page, word).tap();
    await page.evaluate(async () => {
      for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
    });
  }
}

/* In the page: a few pixels at a time, and at each place a look at what of the card the pill is over, or would be hit in place of. */
async function scrollUpUnderThePill() {
  const scroller = document.querySelector('.conversation') as HTMLElement;
  const covered: string[] = [];
  let shown = 0;
  for (let px = 0; px < 240; px += 8) {
    scroller.scrollTop -= 8;
    for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
    const pill = document.querySelector('.pill');
    if (pill === null || getComputedStyle(pill).visibility === 'hidden') continue;
    shown += 1;
    const way = pill.getBoundingClientRect();
    for (const part of document.querySelectorAll('.decision :is(a, button, summary)')) {
      const { left, right, top, bottom } = part.getBoundingClientRect();
      const isBeside = right <= way.left || left >= way.right;
      if (isBeside || bottom <= way.top || top >= way.bottom) continue;
      covered.push(`${px}: ${part.textContent}`);
    }
  }
  return { shown, covered };
}

interface WatchedWindow {
  watched: { heights: number[]; tops: number[]; pills: number };
}

/* In the page: how high the card was and where, and in how many frames there was a pill. */
function watchCard(): void {
  const watched: WatchedWindow['watched'] = { heights: [], tops: [], pills: 0 };
  Object.assign(window, { watched });
  const look = (): void => {
    const { height, top } = document.querySelector('.decision')?.getBoundingClientRect() ?? {};
    if (height !== undefined && watched.heights.at(-1) !== height) watched.heights.push(height);
    if (top !== undefined && watched.tops.at(-1) !== top) watched.tops.push(top);
    if (document.querySelector('.pill') !== null) watched.pills += 1;
    requestAnimationFrame(look);
  };
  look();
}

/* In the page: longer than a list takes to come to rest after a finger. */
async function untilAtRest(): Promise<void> {
  const beganMs = performance.now();
  while (performance.now() - beganMs < 400) await new Promise(requestAnimationFrame);
}

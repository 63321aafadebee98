/*
 * Allow opens only when the beginning and the end of a command were really on the screen: for commands of every length around the one that
 * just fits, by the places of their letters, which the app itself does not look at.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { type AskingAgent, openAskingAgent } from '../support/asking-agent.ts';
import { openChromium } from '../support/chromium.ts';
import { openPhone, type Phone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';
import { rounds } from '../support/rounds.ts';

let browser: Browser;
let gateway: RealGateway;
let agent: AskingAgent;
let signedIn: Phone;

before(async () => {
  gateway = await openRealGateway();
  browser = await openChromium();
  agent = await openAskingAgent(gateway);
  signedIn = await openPhone(browser, { gateway });
});
after(async () => {
  await signedIn?.[Symbol.asyncDispose]();
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

const linesMax = 40;
/* Where a browser rounds, either answer is right. */
const tolerancePx = 1.5;

async function openAsked(phone: Phone, command: string): Promise<string> {
  const id = await agent.ask(command);
  await phone.go(`/approvals/${id}`);
  await phone.page.locator('.decision-bar').waitFor();
  return id;
}

async function deny(phone: Phone, id: string): Promise<void> {
  await gateway.client.approvals.decide({ params: { id }, body: { decision: 'deny' } });
  await phone.go('/settings');
  await phone.page.locator('.decision').waitFor({ state: 'detached' });
}

/* Armed: it has been looked at for long enough, so what is shut is shut because it is not read. */
async function isOpen(page: Page): Promise<boolean> {
  await page.locator('.decision-bar button[aria-disabled="false"]', { hasText: 'Deny' }).waitFor();
  const allow = page.locator('.decision-bar button', { hasText: 'Allow once' });
  return (await allow.getAttribute('aria-disabled')) === 'false';
}

/* By how much the last letter is inside of what scrolls; negative: some of it is cut off. */
function insidePx(page: Page): Promise<number> {
  return page.evaluate(() => {
    const text = document.querySelector('.exact bdi');
    const body = document.querySelector('.decision-body');
    if (text === null || body === null) throw new Error('nothing is shown');
    const letters = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    let last: Node | undefined;
    while (letters.nextNode() !== null) last = letters.currentNode;
    const { length } = last?.nodeValue ?? '';
    if (last === undefined || length === 0) throw new Error('no letter is shown');
    const range = new Range();
    range.setStart(last, length - 1);
    range.setEnd(last, length);
    const { top, bottom } = range.getBoundingClientRect();
    const around = body.getBoundingClientRect();
    return Math.min(top - around.top, around.bottom - bottom, innerHeight - bottom);
  });
}

for (const size of ['small', 'usual'] as const) {
  test(`${size}: allow is open exactly when the end of the command was on the screen, and scrolling to it opens it`, async () => {
    await using phone = await openPhone(browser, { gateway, size, as: signedIn });
    const { page } = phone;
    const seen = { open: 0, shut: 0 };
    const look = async (lines: number): Promise<boolean> => {
      const id = await openAsked(phone, commandOf(lines));
      const isOpenNow = await isOpen(page);
      const px = await insidePx(page);
      const words = `${lines} lines, ${px.toFixed(1)} px inside`;
      if (Math.abs(px) > tolerancePx) assert.equal(isOpenNow, px > 0, words);
      seen[isOpenNow ? 'open' : 'shut'] += 1;
      if (!isOpenNow) {
        await page
          .locator('.exact')
          .first()
          .evaluate((text) => text.scrollIntoView(false));
        await page
          .locator('.decision-bar button[aria-disabled="false"]', { hasText: 'Allow once' })
          .waitFor();
      }
      await deny(phone, id);
      return isOpenNow;
    };
    // The longest that is open at once, then every length around it: the foot is some ten lines high.
    let [fits, fitsNot] = [1, linesMax + 1];
    while (fitsNot - fits > 1) {
      const lines = Math.floor((fits + fitsNot) / 2);
      if (await look(lines)) fits = lines;
      else fitsNot = lines;
    }
    const from = rounds(fits - 1, 1);
    const to = rounds(fits + 7, linesMax);
    for (let lines = from; lines <= to; lines += 1) await look(lines);
    assert.ok(seen.open > 1 && seen.shut > 5, JSON.stringify(seen));
  });
}

function commandOf(lines: number): string {
  return Array.from({ length: lines }, (_, at) => `touch a${at}`).join('\n');
}

test('a text that ends in blanks and line breaks can be read to its end', async () => {
  await using phone = await openPhone(browser, { gateway, size: 'small', as: signedIn });
  const { page } = phone;
  for (const ending of ['\n', '\n\n\n', ' '.repeat(200), `${' '.repeat(90)}\n  \n`]) {
    const id = await openAsked(phone, `touch a${ending}`);
    assert.equal(await isOpen(page), true, JSON.stringify(ending));
    await deny(phone, id);
  }
});

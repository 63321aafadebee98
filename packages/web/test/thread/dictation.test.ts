/*
 * Speech to text in a real browser, which hears what the test says: the words are written for editing and never sent by themselves, and where
 * nothing comes of it, it is not offered.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { eventsOf, isEnd, saidIn, talk, untilEvent } from '../support/conversations.ts';
import { readTable } from '../support/kept-on-device.ts';
import { openPageTime } from '../support/page-time.ts';
import { openPhone, type Phone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';

let browser: Browser;
let gateway: RealGateway;
let owner: Phone;
let threadId: string;

before(async () => {
  gateway = await openRealGateway();
  browser = await openChromium();
  threadId = await talk(gateway.client, 'hello');
  owner = await openPhone(browser, { gateway });
});
after(async () => {
  await owner?.[Symbol.asyncDispose]();
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

/* At the thread, where this ran before the page did. */
async function openThread(script: () => void): Promise<Phone> {
  const phone = await openPhone(browser, { gateway, as: owner });
  await phone.page.addInitScript(script);
  await phone.page.goto(new URL(`/threads/${threadId}`, gateway.url).href);
  await phone.page.locator('.turn-end').last().waitFor();
  return phone;
}

interface HeardPage {
  speech: EventTarget & { isAborted: boolean };
}

/* In the page, before its scripts: a recognition that hears nothing by itself. */
function standInForSpeech(): void {
  class Recognition extends EventTarget {
    isAborted = false;
    start(): void {
      Object.assign(window, { speech: this });
    }
    stop(): void {
      this.dispatchEvent(new Event('end'));
    }
    abort(): void {
      this.isAborted = true;
      this.dispatchEvent(new Event('end'));
    }
  }
  Object.defineProperty(window, 'SpeechRecognition', { value: Recognition });
}

/* In the page, before its scripts: an app that was installed on iOS has a recognition, and it is dead. */
function standInForInstalledApp(): void {
  Object.defineProperty(navigator, 'standalone', { value: true });
}

/* All that was understood so far. */
async function hear(page: Page, ...transcripts: readonly string[]): Promise<void> {
  await page.evaluate((parts) => {
    const results = parts.map((transcript) => [{ transcript }]);
    const event = Object.assign(new Event('result'), { results });
    (window as unknown as HeardPage).speech.dispatchEvent(event);
  }, transcripts);
}

/* Of the page's own time: longer than it waits for a sign of life. */
const longMs = 5_000;

const dictate = (page: Page) => page.getByRole('button', { name: 'Dictate' });
const listening = (page: Page) => page.getByRole('button', { name: 'Stop listening' });

async function untilReads(page: Page, text: string): Promise<void> {
  await page.waitForFunction(
    (wanted) => document.querySelector('textarea')?.value === wanted,
    text,
  );
}

test('what is heard is written into the composer, edited there, and sent by a tap only', async () => {
  const { client } = gateway;
  const earlier = await eventsOf(client, threadId);
  await using phone = await openThread(standInForSpeech);
  const { page } = phone;
  await dictate(page).tap();
  await listening(page).waitFor();
  await hear(page, 'say hallo');
  await untilReads(page, 'say hallo');
  // The end of it was still changing.
  await hear(page, 'say hello', ' again');
  await untilReads(page, 'say hello again');
  await listening(page).tap();
  await listening(page).waitFor({ state: 'detached' });
  await untilReads(page, 'say hello again');
  assert.deepEqual(await readTable(page, 'outbox'), []);
  assert.deepEqual(await eventsOf(client, threadId), earlier);
  // It is theirs now: what was heard before does not come back into it.
  await page.getByLabel('Message').fill('hello again, by hand');
  await hear(page, 'say something else');
  await page.getByRole('button', { name: 'Send' }).tap();
  const last = earlier.at(-1)?.seq ?? 0;
  await untilEvent(client, threadId, (event) => isEnd(event) && event.seq > last);
  assert.deepEqual(saidIn(await eventsOf(client, threadId)).slice(1), ['hello again, by hand']);
});

test('who edits while it listens ends that', async () => {
  await using phone = await openThread(standInForSpeech);
  const { page } = phone;
  await dictate(page).tap();
  await listening(page).waitFor();
  await hear(page, 'one two');
  await untilReads(page, 'one two');
  await page.getByLabel('Message').fill('one');
  await listening(page).waitFor({ state: 'detached' });
  await hear(page, 'one two three');
  await untilReads(page, 'one');
  assert.equal(await page.evaluate(() => (window as unknown as HeardPage).speech.isAborted), true);
});

test('without a sign of life the button goes; with one it listens for as long as it likes', async () => {
  await using phone = await openThread(standInForSpeech);
  const { page } = phone;
  const time = await openPageTime(page);
  await time.pause();
  await dictate(page).tap();
  await listening(page).waitFor();
  await page.evaluate(() =>
    (window as unknown as HeardPage).speech.dispatchEvent(new Event('audiostart')),
  );
  await time.passUntil(async () => false, longMs);
  assert.equal(await listening(page).count(), 1);
  await listening(page).tap();
  await dictate(page).tap();
  await listening(page).waitFor();
  const isGone = async (): Promise<boolean> =>
    (await dictate(page).count()) + (await listening(page).count()) === 0;
  await time.passUntil(isGone, longMs);
  assert.equal(await isGone(), true);
  assert.equal(await page.evaluate(() => (window as unknown as HeardPage).speech.isAborted), true);
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await time.resume();
});

test('in an app that is installed on iOS it is not offered', async () => {
  await using phone = await openThread(standInForInstalledApp);
  const { page } = phone;
  await page.getByRole('button', { name: 'Send' }).waitFor();
  assert.equal(await dictate(page).count(), 0);
});

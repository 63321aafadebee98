/*
 * Chromium begins an empty database when it finds its own damaged, as it may after kill -9. What was written without a network is there all the
 * same, and arrives once and in order; what was typed and not sent is there, too.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  beginThread,
  counting,
  eventsOf,
  isEnd,
  saidIn,
  untilEvent,
} from '../support/conversations.ts';
import { type Device, openDevice } from '../support/device.ts';
import { readKept } from '../support/kept-on-device.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';

const nowhere = 'http://127.0.0.1:1';
const expects = [/net::ERR_/, /Failed to load resource/, /status of 50[234]/];

let gateway: RealGateway;
let device: Device;

before(async () => {
  gateway = await openRealGateway();
  device = await openDevice({ gateway, size: 'desk', expects });
});
after(async () => {
  await device?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

for (const copy of ['first', 'second'] as const) {
  test(`messages and drafts outlast the loss of the ${copy} database`, async () => {
    const threadId = await beginThread(gateway.client);
    const path = `/threads/${threadId}`;
    await open(path);
    gateway.proxy.target(nowhere);
    gateway.proxy.reset();
    const { page } = device.phone;
    const box = page.getByLabel('Message');
    const texts = ['one.', 'two.', 'three.'];
    for (const text of texts) {
      await box.fill(text);
      await box.press('Enter');
      // One is taken at a time: what is typed before that stays in the box, where the next would replace it.
      await page.locator('.waiting-bar').getByText(text, { exact: true }).waitFor();
    }
    const typed = `not sent yet, ${copy}`;
    await box.fill(typed);
    // In both databases: a draft is kept when nobody waits for it.
    const isKept = async (): Promise<boolean> => {
      const found = Object.entries((await readKept(device.phone.page)).places);
      return (
        found.filter(([place, text]) => /drafts/.test(place) && text.includes(typed)).length === 2
      );
    };
    while (!(await isKept())) await page.waitForTimeout(20);
    await device.kill();
    device.lose(copy);
    await device.start();
    gateway.proxy.target(gateway.client.connection.baseUrl);
    await open(path);
    await untilEvent(gateway.client, threadId, counting(texts.length, isEnd));
    assert.deepEqual(saidIn(await eventsOf(gateway.client, threadId)), texts);
    const isTyped = (text: string): boolean => document.querySelector('textarea')?.value === text;
    await device.phone.page.waitForFunction(isTyped, typed);
  });
}

async function open(path: string): Promise<void> {
  const { page } = device.phone;
  await page.goto(new URL(path, gateway.url).href);
  await page.getByLabel('Message').waitFor();
}

/*
 * A message that is kept while the gateway is away, in a real browser whose system believes that there is a network: it fires Background Sync at once.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { beginThread, eventsOf, isEnd, saidIn, untilEvent } from '../support/conversations.ts';
import { openPhone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';

let browser: Browser;
let gateway: RealGateway;

before(async () => {
  gateway = await openRealGateway();
  browser = await openChromium();
});
beforeEach(() => gateway.proxy.target(gateway.client.connection.baseUrl));
after(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

/* What is left of a gateway that was killed: it takes connections, and closes them without an answer. It counts what was asked. */
async function openRemains() {
  const asked = { turns: 0, streams: 0 };
  let look = (): void => {};
  const server = createServer(({ method, url = '' }, answer) => {
    if (method === 'POST' && url.endsWith('/turns')) asked.turns += 1;
    if (/\/events\b/.test(url)) asked.streams += 1;
    answer.destroy();
    look();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    until: (isSo: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        look = () => void (isSo() && resolve());
        look();
      }),
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}

const expects = [/net::ERR_/, /Failed to load resource/];

test('a message is tried a few times while the gateway is away, and arrives once when it is back', async () => {
  await using remains = await openRemains();
  const threadId = await beginThread(gateway.client);
  await using phone = await openPhone(browser, { gateway, at: `/threads/${threadId}`, expects });
  const { page } = phone;
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  gateway.proxy.target(remains.url);
  gateway.proxy.reset();
  await send(page, 'Only once.');
  const { asked } = remains;
  await remains.until(() => asked.turns > 0);
  // Of these each is later than the one before it.
  const enough = asked.streams + 5;
  await remains.until(() => asked.streams >= enough);
  const { turns } = asked;
  assert.ok(turns >= 1 && turns <= 12, `${turns} attempts`);
  gateway.proxy.target(gateway.client.connection.baseUrl);
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await untilEvent(gateway.client, threadId, isEnd);
  await page.locator('.waiting-bar').waitFor({ state: 'detached' });
  assert.deepEqual(saidIn(await eventsOf(gateway.client, threadId)), ['Only once.']);
});

test('a message of a tab that cannot send is sent by the worker, also while the tab is open', async () => {
  const threadId = await beginThread(gateway.client);
  await using phone = await openPhone(browser, { gateway, at: `/threads/${threadId}`, expects });
  const { page } = phone;
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  // Of the page alone: what its worker asks for is not seen here.
  await page.route('**/turns', (route) => route.abort());
  await send(page, 'Without the tab.');
  await untilEvent(gateway.client, threadId, isEnd);
  await page.locator('.waiting-bar').waitFor({ state: 'detached' });
  assert.deepEqual(saidIn(await eventsOf(gateway.client, threadId)), ['Without the tab.']);
});

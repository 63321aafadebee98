/*
 * Two people, or one with two devices, decide the same in a conversation: who comes second is told by whom it was decided, on the card and in the
 * conversation.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page, Request } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { isApproval, talk } from '../support/conversations.ts';
import { openPhone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';
import { tapUntilSent } from '../support/tap-armed.ts';

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

test('in a thread the card stays although this device has answered, too, and both say which device was faster', async () => {
  const { client } = gateway;
  using gate = gateway.gate('decided');
  const id = await talk(client, 'ask: rm -r build\nsleep at decided', isApproval);
  const expects = [/the server responded with a status of 409/];
  await using phone = await openPhone(browser, { gateway, at: `/threads/${id}`, expects });
  const { page } = phone;
  const { items } = await client.auth.devices();
  const { device } = items.find(({ is_current: isOurs }) => isOurs) ?? assert.fail();
  await page.route('**/api/v1/asks/*', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const { items: open } = await client.asks.list();
    const ask = open.find(({ thread_id: of }) => of === id) ?? assert.fail();
    await client.asks.answer({ params: { id: ask.id }, body: { action: 'cancel' } });
    await gate.reached();
    return route.continue();
  });
  const readAgain = readAfterRefusal(page);
  const card = page.locator('.decision', { hasText: 'rm -r build' });
  const dropped = card.getByText(`Dropped by you, on “${device}”`);
  await tapUntilSent(page, 'Allow', dropped);
  await readAgain;
  await dropped.waitFor();
  const line = page.locator('.note', { hasText: 'Permission dropped' });
  await line.getByText(`by you, on “${device}”`).waitFor();
  gate.release();
  await card.waitFor({ state: 'detached' });
});

/* Until what was asked after the refusal is answered and drawn. */
async function readAfterRefusal(page: Page): Promise<void> {
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
  let asked: Request | undefined;
  let wasRefused = false;
  page.on('request', (request) => {
    const isOfAsks = new URL(request.url()).pathname === '/api/v1/asks';
    if (wasRefused && isOfAsks) asked ??= request;
  });
  page.on('response', (response) => {
    if (response.status() === 409) wasRefused = true;
    if (response.request() === asked) read();
  });
  await isRead;
  await page.evaluate(async () => {
    for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
  });
}

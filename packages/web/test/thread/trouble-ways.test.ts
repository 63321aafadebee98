/*
 * A turn whose agent could not be started, in a real browser: the reason is said once, and the way on leads to a new thread, with the message.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { beginThread, counting, isEnd, prompt, untilEvent } from '../support/conversations.ts';
import { openPhone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';

let browser: Browser;
let gateway: RealGateway;

before(async () => {
  gateway = await openRealGateway({
    agents: (home) => ({ absent: { command: [`${home}/absent`] } }),
  });
  browser = await openChromium();
});
after(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

test('where nothing was started the reason is said once for each attempt, and a new thread is offered with the message', async () => {
  const id = await beginThread(gateway.client, 'absent');
  for (const [index, text] of ['What is new?', 'And again?'].entries()) {
    await prompt(gateway.client, id, text);
    await untilEvent(gateway.client, id, counting(index + 1, isEnd));
  }
  await using phone = await openPhone(browser, { gateway, at: `/threads/${id}` });
  const { page } = phone;
  const troubles = page.locator('.turn-trouble');
  await troubles.getByText('Nothing was started.').nth(1).waitFor();
  assert.equal(await page.locator('.conversation').getByText('could not be started').count(), 2);
  await troubles.last().getByRole('button', { name: 'Write it again' }).waitFor();
  await troubles.last().getByRole('button', { name: 'Begin a new thread' }).click();
  await page.getByRole('heading', { name: 'New thread' }).waitFor();
  await page.waitForFunction(() => document.querySelector('textarea')?.value === 'And again?');
});

test('where an agent itself has failed, the message goes to it again', async () => {
  const id = await beginThread(gateway.client);
  await prompt(gateway.client, id, 'fail: no luck today');
  await untilEvent(gateway.client, id, isEnd);
  await using phone = await openPhone(browser, { gateway, at: `/threads/${id}` });
  await phone.page.getByRole('button', { name: 'Write it again' }).waitFor();
  assert.equal(await phone.page.getByRole('button', { name: 'Begin a new thread' }).count(), 0);
});

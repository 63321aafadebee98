/*
 * From nothing to an agent's first words: how many taps it takes from a link.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
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

test('four taps lead from a login link to the first word of an agent', async () => {
  await using phone = await openPhone(browser, { gateway, isSignedIn: false });
  const { page } = phone;
  let taps = 0;
  const tap = async (what: Locator): Promise<void> => {
    taps += 1;
    await what.tap();
  };
  // The first tap is the one on the link.
  taps += 1;
  await page.goto(await gateway.loginLink());
  await tap(page.getByRole('link', { name: 'New', exact: true }));
  const field = page.getByLabel('What should it do?');
  await tap(field);
  await page.keyboard.type('Say hello');
  await tap(page.getByRole('button', { name: 'Start', exact: true }));
  await page.locator('.markdown').getByText('Say hello').first().waitFor();
  assert.ok(taps <= 4, `${taps} taps`);
});

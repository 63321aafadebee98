/*
 * A connection that is lost for a moment, where something waits for a decision, in a real browser.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openAskingAgent } from '../support/asking-agent.ts';
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

const armed = (page: Page, name: string) =>
  page.locator('.decision-bar button[aria-disabled="false"]', { hasText: name });

test('a drop of less than four seconds takes taps from the buttons, and changes no word; a longer one is told', async () => {
  const agent = await openAskingAgent(gateway);
  const id = await agent.ask('touch dropped');
  await using phone = await openPhone(browser, { gateway, expects: [/net::ERR_/] });
  const { page } = phone;
  const row = page.getByRole('link', { name: /touch dropped/ });
  const told = page.getByText(/^Not connected/);
  await row.getByText('Review').waitFor();
  await row.click();
  await armed(page, 'Allow once').waitFor();
  // From now on no time passes but what the test lets pass.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await armed(page, 'Allow once').waitFor();
  gateway.proxy.target('http://127.0.0.1:1');
  gateway.proxy.reset();
  const allow = page.locator('.decision-bar button', { hasText: 'Allow once' });
  await allow.and(page.locator('[aria-disabled="true"]')).waitFor();
  assert.equal(await page.locator('.why-off').textContent(), '');
  // Who tries is told why.
  await allow.dispatchEvent('click');
  await page
    .locator('.why-off')
    .getByText(/^Not connected/)
    .waitFor();
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
  await phone.go('/inbox');
  // What is drawn is drawn by the clock.
  await page.clock.runFor(500);
  await row.getByText('Review').waitFor();
  assert.equal(await told.count(), 0);
  await page.clock.runFor(4_000);
  await told.waitFor();
  await row.getByText('Look').waitFor();
  gateway.proxy.target(gateway.client.connection.baseUrl);
  await gateway.client.approvals.decide({ params: { id }, body: { decision: 'deny' } });
});

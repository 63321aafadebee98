/*
 * The rig itself: it signs in, it survives the death of its gateway, and it does not overlook what goes wrong in a page.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium } from './support/chromium.ts';
import { openPhone } from './support/phone.ts';
import { openRealGateway, type RealGateway } from './support/real-gateway.ts';

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

test('a phone is signed in by a link, and its gateway is there again at the same place after kill -9', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/threads', expects: [/net::ERR_/] });
  assert.equal(phone.page.url(), `${gateway.url}/threads`);
  await gateway.kill();
  await gateway.start();
  await phone.page.goto(`${gateway.url}/runs`);
  await phone.page.getByRole('heading', { name: 'Runs' }).waitFor();
  assert.equal((await gateway.client.auth.me()).account.kind, 'owner');
});

test('an exception, an error in the console and a broken policy each fail the test that has the phone', async () => {
  for (const [spoil, pattern] of [
    ['queueMicrotask(() => { throw new Error("boom"); })', /exception: boom/],
    ['console.error("something is off")', /something is off/],
    [
      'document.body.style.cssText; document.body.append(Object.assign(document.createElement("style"), { textContent: "a{}" }))',
      /policy: style-src/,
    ],
  ] as const) {
    const phone = await openPhone(browser, { gateway });
    await phone.page.evaluate(spoil);
    await phone.page.waitForFunction('true');
    await assert.rejects(async () => phone[Symbol.asyncDispose](), pattern);
  }
});

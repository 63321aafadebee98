/*
 * The oldest browsers that the app is for, as Chromium without the functions that came later: the app gets live, and stays it.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { beginThread, prompt } from '../support/conversations.ts';
import { openPhone, signIn } from '../support/phone.ts';
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

/* Runs in the page before anything of it does. As Chrome 111 is; of Safari 16.4 it is these, too. */
function forgetWhatIsNew(): void {
  const tooNew: readonly (readonly [object, readonly string[]])[] = [
    [AbortSignal, ['any']],
    [Promise, ['try', 'withResolvers']],
    [Object, ['groupBy']],
    [Map, ['groupBy']],
    [Array, ['fromAsync']],
    [URL, ['canParse', 'parse']],
  ];
  for (const [owner, names] of tooNew) {
    for (const name of names) Reflect.deleteProperty(owner, name);
  }
}

test('a browser without what came after Chrome 111 shows what happens as it happens, before and after a restart of the gateway', async () => {
  const id = await beginThread(gateway.client);
  await using phone = await openPhone(browser, {
    gateway,
    isSignedIn: false,
    expects: [/net::ERR_/],
  });
  const { page, context } = phone;
  await context.addInitScript(forgetWhatIsNew);
  await signIn(page, gateway, `/threads/${id}`);
  assert.equal(await page.evaluate(() => 'any' in AbortSignal || 'canParse' in URL), false);
  await page.getByLabel('Message').waitFor();
  await prompt(gateway.client, id, 'See <https://example.org/one>.');
  await page.getByRole('link', { name: 'https://example.org/one' }).first().waitFor();
  // The account's own stream, and not only that of the thread.
  await phone.go('/threads');
  await page.getByRole('heading', { name: 'Threads' }).first().waitFor();
  const later = await beginThread(gateway.client);
  await page.locator(`a[href="/threads/${later}"]`).waitFor();
  await gateway.kill();
  await page.locator('.strip').getByText('The gateway does not answer').waitFor();
  await gateway.start();
  await page.locator('.strip').waitFor({ state: 'detached' });
  const last = await beginThread(gateway.client);
  await page.locator(`a[href="/threads/${last}"]`).waitFor();
});

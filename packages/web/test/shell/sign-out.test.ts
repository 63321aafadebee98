/*
 * Signing out: at once when the gateway has everything; else what would be lost is counted and asked about, wherever it was asked for.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page, Request } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { beginThread } from '../support/conversations.ts';
import { readTable } from '../support/kept-on-device.ts';
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

/* The stream of the account ends with the standing. */
const expects = [/ERR_INCOMPLETE_CHUNKED_ENCODING/];

async function typeDraft(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await untilDrafts(page, [text]);
}

async function untilDrafts(page: Page, wanted: readonly string[]): Promise<void> {
  for (;;) {
    const drafts = await readTable<{ text: string }>(page, 'drafts');
    if (wanted.join() === drafts.map(({ text }) => text).join()) return;
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
}

async function untilOut(page: Page): Promise<void> {
  await page.locator('nav.places').waitFor({ state: 'detached' });
  // It is locked first, and then all is removed.
  await untilDrafts(page, []);
}

test('with a draft on the device “More” asks first; who stays keeps it, who goes is out', async () => {
  const id = await beginThread(gateway.client);
  await using phone = await openPhone(browser, { gateway, at: `/threads/${id}`, expects });
  const { page } = phone;
  await typeDraft(page, 'half a thought');
  await phone.go('/more');
  const signOut = page.getByRole('button', { name: 'Sign out here' });
  await signOut.click();
  const sheet = page.getByRole('dialog', { name: 'Sign out here?' });
  await sheet.getByText('1 draft is only on this device. It would be lost.').waitFor();
  await sheet.getByRole('button', { name: 'Stay signed in' }).click();
  await sheet.waitFor({ state: 'detached' });
  await untilDrafts(page, ['half a thought']);
  await signOut.click();
  await sheet.getByRole('button', { name: 'Sign out', exact: true }).click();
  await untilOut(page);
});

test('so does the list of everything, over the draft itself', async () => {
  const id = await beginThread(gateway.client);
  await using phone = await openPhone(browser, {
    gateway,
    at: `/threads/${id}`,
    size: 'desk',
    expects,
  });
  const { page } = phone;
  await typeDraft(page, 'another thought');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find anything' }).fill('sign out');
  await page.keyboard.press('Enter');
  const sheet = page.getByRole('dialog', { name: 'Sign out here?' });
  await sheet.getByText('1 draft is only on this device. It would be lost.').waitFor();
  await sheet.getByRole('button', { name: 'Stay signed in' }).click();
  await page.getByLabel('Message').waitFor();
  await page.getByLabel('Message').fill('');
  await untilDrafts(page, []);
  // Nothing is lost now, so nothing is asked.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find anything' }).fill('sign out');
  await page.keyboard.press('Enter');
  await untilOut(page);
});

test('with nothing unsent “More” signs out at once', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/more', expects });
  await phone.page.getByRole('button', { name: 'Sign out here' }).click();
  await untilOut(phone.page);
});

/* In the page as it is, so that whatever is still under way in it goes on. */
async function signInAgain(page: Page): Promise<void> {
  await page.getByLabel('Login link or code').fill(await gateway.loginLink());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('nav.places').waitFor();
}

test('who signs out while a file is on its way leaves nothing of it to the next one who signs in', async () => {
  await using phone = await openPhone(browser, {
    gateway,
    at: '/new',
    expects: [...expects, /net::ERR_ABORTED/],
  });
  const { page } = phone;
  const { promise: mayGo, resolve: go } = Promise.withResolvers<void>();
  const { promise: isOnItsWay, resolve: onItsWay } = Promise.withResolvers<void>();
  await page.route('**/api/v1/uploads/*', async (route) => {
    if (route.request().method() === 'PATCH') {
      onItsWay();
      await mayGo;
    }
    // The app may have ended it by now.
    await route.continue().catch(() => undefined);
  });
  await page.getByLabel('What should it do?').waitFor();
  const buffer = Buffer.alloc(3 * 512 * 1024);
  const file = { name: 'our secret plans.txt', mimeType: 'text/plain', buffer };
  await page.locator('input[type=file]').setInputFiles(file);
  await isOnItsWay;
  const isPiece = (request: Request): boolean => request.method() === 'PATCH';
  const isOver = Promise.race([
    page.waitForEvent('requestfailed', isPiece),
    page.waitForEvent('requestfinished', isPiece),
  ]);
  await phone.go('/more');
  await page.getByRole('button', { name: 'Sign out here' }).click();
  const sheet = page.getByRole('dialog', { name: 'Sign out here?' });
  await sheet.getByRole('button', { name: 'Sign out', exact: true }).click();
  await untilOut(page);
  go();
  await isOver;
  await signInAgain(page);
  await phone.go('/new');
  await page.getByLabel('What should it do?').waitFor();
  assert.equal(await page.getByText(file.name).count(), 0);
  assert.deepEqual(await readTable(page, 'drafts'), []);
});

test('words that were typed just before this device was no longer known are not written after all was removed', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/new', expects });
  const { page, context } = phone;
  await page.getByLabel('What should it do?').waitFor();
  await context.clearCookies();
  await page.getByLabel('What should it do?').fill('half a secret');
  await page.evaluate(() => {
    const channel = new BroadcastChannel('clawdfather');
    channel.postMessage('standing');
    channel.close();
  });
  await page.locator('nav.places').waitFor({ state: 'detached' });
  await signInAgain(page);
  await phone.go('/new');
  assert.equal(await page.getByLabel('What should it do?').inputValue(), '');
  assert.deepEqual(await readTable(page, 'drafts'), []);
});

/*
 * What was known before the gateway went away: it says once from when it is, claims nothing about now, and what is asked of the gateway is refused where
 * it is asked.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { openPhone, type Phone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';

let browser: Browser;
let gateway: RealGateway;

before(async () => {
  gateway = await openRealGateway();
  browser = await openChromium();
});
beforeEach(() => comeBack());
after(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

const expects = [/net::ERR_/];
const why = 'You can do this as soon as the gateway answers.';

function comeBack(): void {
  gateway.proxy.target(gateway.client.connection.baseUrl);
}

async function goAway({ page }: Phone): Promise<void> {
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  gateway.proxy.target('http://127.0.0.1:1');
  gateway.proxy.reset();
  await page.locator('.strip').getByText('The gateway does not answer').waitFor();
}

/* As when a network is back. */
async function isThereAgain({ page }: Phone): Promise<void> {
  comeBack();
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await page.locator('.strip').waitFor({ state: 'detached' });
}

test('an empty inbox that is old does not say that nothing needs you, but when nothing did', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/inbox', expects });
  const { page } = phone;
  const now = page.getByText('Nothing needs you', { exact: true });
  const then = page.getByText(/^Nothing needed you at \d/);
  await now.waitFor();
  await goAway(phone);
  // It was open all the time, and nothing of it was read again.
  await then.waitFor();
  await page.reload();
  await then.waitFor();
  assert.equal(await now.count(), 0);
  await isThereAgain(phone);
  await now.waitFor();
  assert.equal(await then.count(), 0);
});

test('a screen of several lists says once from when they are', async () => {
  await gateway.client.runs.create({ body: { command: 'true', name: 'over', yieldMs: 5_000 } });
  const address = { label: 'far', host: '127.0.0.1', port: 1, username: 'nobody' };
  const { key } = await gateway.client.keys.create({ body: { label: 'far' } });
  await gateway.client.connections.create({ body: { ...address, keypair_id: key.id } });
  await using phone = await openPhone(browser, { gateway, at: '/hosts', expects });
  const { page } = phone;
  await page.getByRole('link', { name: /far/ }).waitFor();
  await phone.go('/runs');
  await page.getByText('over').first().waitFor();
  await page.getByLabel('Host', { exact: true }).waitFor();
  await goAway(phone);
  for (const [path, says, lists] of [
    ['/hosts', 'far', 2],
    ['/runs', 'over', 3],
  ] as const) {
    await phone.go('/more');
    await page.getByRole('heading', { name: 'More' }).waitFor();
    const failures = untilFailed(page, lists);
    await phone.go(path);
    await failures;
    await page.getByText(says).first().waitFor();
    await page
      .getByText(/^As of \d/)
      .first()
      .waitFor();
    assert.equal(await page.getByText(/^As of \d/).count(), 1, path);
  }
  assert.equal(await page.locator('.filters .as-of').count(), 0);
  await page.getByLabel('Host', { exact: true }).waitFor();
});

/* So many lists of a screen. */
async function untilFailed(page: Page, count: number): Promise<void> {
  const failed = new Set<string>();
  await page.waitForEvent('requestfailed', (request) => {
    if (request.url().includes('limit=')) failed.add(request.url());
    return failed.size >= count;
  });
  await page.evaluate(() => new Promise(requestAnimationFrame));
}

test('what is asked for on the screen of devices is refused where it is asked, and can be done there when the gateway is back', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/devices', expects });
  const { page } = phone;
  const sheet = page.getByRole('dialog');
  await page.getByText('this one').waitFor();
  await goAway(phone);
  await page
    .getByRole('button', { name: /^Rename / })
    .first()
    .click();
  await sheet.getByText(why).waitFor();
  assert.ok(await sheet.getByRole('button', { name: 'Save' }).isDisabled());
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Add a device' }).click();
  await sheet.getByText(why).waitFor();
  await isThereAgain(phone);
  await sheet.locator('.login-code').waitFor();
});

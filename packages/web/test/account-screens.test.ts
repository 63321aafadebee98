/*
 * What belongs to a person, from a phone: tokens, devices, the audit log, and every other screen behind “More”.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium } from './support/chromium.ts';
import { talk } from './support/conversations.ts';
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

test('a token is shown once, works, and is refused after it was revoked', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/tokens' });
  const { page } = phone;
  await page.getByText('No token yet').waitFor();
  await page.getByRole('button', { name: 'Make a token' }).click();
  await page.getByLabel('Name', { exact: true }).fill('editor');
  // A label of two lines stands above what explains it.
  const overlaps = await page.locator('dialog .switch').evaluateAll(
    (labels) =>
      labels.filter((label) => {
        const text = label.querySelector('span')?.getBoundingClientRect().bottom ?? 0;
        return (label.nextElementSibling?.getBoundingClientRect().top ?? 0) < text - 1;
      }).length,
  );
  assert.equal(overlaps, 0);
  await page.getByRole('button', { name: 'Make it' }).click();
  const token = (await page.getByLabel('Token', { exact: true }).textContent()) ?? '';
  assert.match(token, /^clf_/);
  const ask = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(new URL('/api/v1/auth/me', gateway.url), { headers })).status;
  };
  assert.equal(await ask(), 200);
  await page.getByRole('button', { name: 'I have it' }).click();
  await page.getByText('editor').waitFor();
  const seen = await page.evaluate(
    () => document.documentElement.outerHTML + JSON.stringify(Object.entries(localStorage)),
  );
  assert.ok(!seen.includes(token));
  await page.getByRole('button', { name: 'Revoke editor' }).click();
  await page.getByRole('button', { name: 'Revoke it' }).click();
  await page.getByText('No token yet').waitFor();
  assert.equal(await ask(), 401);
});

test('an open session is called by the thread that it is for', async () => {
  await talk(gateway.client, 'Which one am I?');
  await using phone = await openPhone(browser, { gateway, at: '/sessions' });
  const row = phone.page.locator('.row').filter({ hasText: 'Which one am I?' });
  await row.getByText('This machine: echo').waitFor();
  const all = phone.page.getByRole('button', { name: 'Close every session of this gateway' });
  await all.waitFor();
  await row.getByRole('button', { name: 'Close' }).click();
  await phone.page.getByRole('button', { name: 'Close it' }).click();
  await phone.page.getByText('No session is open').waitFor();
  // What there is none of cannot be closed.
  await all.waitFor({ state: 'detached' });
});

test('another device is let in by its code once this one has said yes, and signed out from here', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/devices' });
  const { page } = phone;
  await page.getByText('this one').waitFor();
  await page.getByRole('button', { name: 'Add a device' }).click();
  const code = (await page.locator('.login-code').textContent()) ?? '';
  // Of a gateway that only this machine reaches.
  await page.getByText(`A phone cannot open ${gateway.url}`).waitFor();
  assert.equal(await page.locator('dialog .qr').count(), 0);
  const context = { userAgent: 'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Firefox/140.0' };
  // Its stream is cut when it is signed out.
  const expects = [/ERR_INCOMPLETE_CHUNKED_ENCODING/];
  await using other = await openPhone(browser, { gateway, isSignedIn: false, context, expects });
  await other.page.goto(gateway.url);
  await other.page.getByLabel('Login link or code').fill(code);
  await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await other.page.getByText('Confirm on your other device').waitFor();
  await page.getByRole('button', { name: 'Yes, let it in' }).click();
  await other.page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await page.getByRole('button', { name: 'Sign out Firefox on Android' }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('Firefox on Android', { exact: true }).waitFor({ state: 'detached' });
  await other.page.getByText('This device was signed out').waitFor();
});

test('a device is not let in by a tap that was meant for what stood there before it asked', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/devices' });
  const { page } = phone;
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/decision')) sent.push(request.postData() ?? '');
  });
  await page.getByRole('button', { name: 'Add a device' }).click();
  const code = (await page.locator('.login-code').textContent()) ?? '';
  await page.evaluate(tapAsSoonAsThere, 'Yes, let it in');
  await using other = await openPhone(browser, { gateway, isSignedIn: false });
  await other.page.goto(gateway.url);
  await other.page.getByLabel('Login link or code').fill(code);
  await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const yes = page.getByRole('button', { name: 'Yes, let it in' });
  await page.locator('button[aria-disabled="false"]', { hasText: 'Yes, let it in' }).waitFor();
  // The finger that came down then is lifted only now.
  await yes.evaluate((button) =>
    button.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 })),
  );
  await page.getByText('It had just moved. Tap again.').waitFor();
  assert.deepEqual(sent, []);
  await yes.click();
  await other.page.getByRole('heading', { name: 'Inbox' }).waitFor();
  assert.deepEqual(sent, ['{"decision":"confirm"}']);
});

/* In the page: a finger comes down where the button appears, and another one taps it, before anybody has seen it. */
function tapAsSoonAsThere(name: string): void {
  const watcher = new MutationObserver(() => {
    const button = [...document.querySelectorAll('button')].find(
      ({ textContent }) => textContent === name,
    );
    if (button === undefined) return;
    watcher.disconnect();
    button.click();
    button.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
  });
  watcher.observe(document.body, { childList: true, subtree: true });
}

test('the audit log says in words what was done, and by which device', async () => {
  const { client } = gateway;
  const { items } = await client.auth.devices();
  const { id, device } = items.find(({ is_current: isOurs }) => isOurs) ?? assert.fail();
  await client.tokens.create({ body: { label: 'for a script', scopes: ['read'] } });
  await using phone = await openPhone(browser, { gateway, at: '/audit' });
  const { page } = phone;
  const entryOf = (...words: readonly string[]) =>
    words.reduce((found, hasText) => found.filter({ hasText }), page.locator('.entry')).first();
  await entryOf('Signed in', ', by link').waitFor();
  const made = entryOf('Token made', device);
  await made.locator('summary').click();
  await made.getByText('token.create', { exact: true }).waitFor();
  await made.getByText(`${device} (device:${id})`).waitFor();
});

test('every way of “More” leads to a screen with one heading and without a problem', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/more' });
  const { page } = phone;
  const rows = page.locator('main a.row');
  await rows.first().waitFor();
  const ways = await rows.evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  assert.ok(ways.length >= 11, ways.join(' '));
  for (const way of ways) {
    await phone.go(way ?? '');
    await page.getByRole('link', { name: 'Back to More' }).waitFor();
    assert.equal(await page.locator('h1').count(), 1, way ?? '');
    const heading = await page.locator('h1').textContent();
    await page.waitForFunction((name) => document.title === `${name} · Clawdfather`, heading);
    assert.equal(await page.getByRole('alert').count(), 0, way ?? '');
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${way} is ${wide} px too wide`);
    await phone.go('/more');
    await rows.first().waitFor();
  }
});

test('an address of nothing says so, and leads to the inbox', async () => {
  await using phone = await openPhone(browser, { gateway });
  const { page } = phone;
  await phone.go('/nonsense');
  await page.getByText('There is nothing at this address').waitFor();
  await page.getByRole('link', { name: 'To the inbox' }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await phone.go('/');
  await page.waitForURL('**/inbox');
});

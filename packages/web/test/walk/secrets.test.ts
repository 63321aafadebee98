/*
 * After the whole walk no secret is anywhere on the device: not the token of its cookie, not the link or the code that it came in with, none that
 * it has made for others. Signing out leaves nothing of the account either.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { placesWith, readKept } from '../support/kept-on-device.ts';
import { openPhone, type Phone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';
import { makeWalkContent, type WalkContent } from './content.ts';
import { visit, walkScreens } from './screens.ts';

/* The stream of a device that is signed out ends there and then, which Chromium notes. */
const cut = /ERR_INCOMPLETE_CHUNKED_ENCODING/;

let browser: Browser;
let gateway: RealGateway;
let content: WalkContent;

before(async () => {
  gateway = await openRealGateway();
  browser = await openChromium();
  content = await makeWalkContent(gateway);
});
after(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

test('no token, link or code is in any storage, cache, address or history; signing out leaves nothing of the account', async () => {
  const link = await gateway.loginLink();
  const secret = link.slice(link.indexOf('=') + 1);
  assert.equal(secret.length, 43);
  await using phone = await openPhone(browser, { gateway, isSignedIn: false, expects: [cut] });
  const { page, context } = phone;
  const addresses = watchAddresses(page);
  await page.goto(link);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  const cookie = (await context.cookies()).find(({ name }) => name === '__Host-clf');
  assert.ok(cookie !== undefined && cookie.httpOnly && cookie.secure);
  assert.equal(cookie.sameSite, 'Strict');
  for (const screen of walkScreens) await visit(phone, content, screen);
  const secrets = [secret, decodeURIComponent(cookie.value), ...(await makeSecrets(phone))];
  await assertNowhere(page, { secrets, addresses });

  await phone.go('/more');
  await page.getByRole('button', { name: 'Sign out here' }).click();
  await page.getByLabel('Login link').waitFor();
  assert.deepEqual(await context.cookies(), []);
  const words = ['tidy', 'rm -r build', 'overloaded', 'nightly', content.done, content.run];
  await untilGone(page, [...words, ...secrets]);
});

test('a code or a link of another device leaves nothing where it was used, nor does the claim that waited', async () => {
  const { client } = gateway;
  for (const way of ['code', 'link'] as const) {
    const made = await client.loginCodes.create();
    await using phone = await openPhone(browser, { gateway, isSignedIn: false });
    const { page, context } = phone;
    const addresses = watchAddresses(page);
    if (way === 'link') {
      await page.goto(made.link);
      await page.getByRole('button', { name: 'Ask to be let in' }).click();
    } else {
      await page.goto(gateway.url);
      await page.getByLabel('Login link or code').fill(made.code);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    }
    await page.getByText('Confirm on your other device').waitFor();
    const claims = (await context.cookies()).map(({ value }) => decodeURIComponent(value));
    assert.equal(claims.length, 1, 'what waits has its claim in a cookie');
    const params = { id: made.login_code.id };
    await client.loginCodes.decide({ params, body: { decision: 'confirm' } });
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    const tokens = (await context.cookies()).map(({ value }) => decodeURIComponent(value));
    const secrets = [...formsOf(made), ...claims, ...tokens];
    await assertNowhere(page, { secrets, addresses });
  }
});

/* Whatever it asks for from now on. What stands after the # is sent to nobody. */
function watchAddresses(page: Page): readonly string[] {
  const addresses: string[] = [];
  page.on('request', (request) => addresses.push(request.url().split('#', 1)[0] ?? ''));
  return addresses;
}

/* As it is shown, as it is typed, and the secret of its link. */
function formsOf({
  code,
  link,
}: {
  readonly code: string;
  readonly link: string;
}): readonly string[] {
  const secret = link.slice(link.lastIndexOf('=') + 1);
  assert.match(code.replaceAll('-', ''), /^\w{8}$/);
  assert.ok(secret.length >= 43, link);
  return [code, code.replaceAll('-', ''), secret];
}

/* A code for another device, its link, and a token for a program, all made and shown on this device. */
async function makeSecrets(phone: Phone): Promise<readonly string[]> {
  const { page } = phone;
  await phone.go('/devices');
  await page.getByRole('button', { name: 'Add a device' }).click();
  const code = (await page.locator('.login-code').textContent()) ?? '';
  const link = (await page.getByLabel('Login link', { exact: true }).textContent()) ?? '';
  await page.getByRole('button', { name: 'Close' }).click();
  await phone.go('/tokens');
  await page.getByRole('button', { name: 'Make a token' }).click();
  await page.getByLabel('Name', { exact: true }).fill('editor');
  await page.getByRole('button', { name: 'Make it' }).click();
  const token = (await page.getByLabel('Token', { exact: true }).textContent()) ?? '';
  assert.match(token, /^clf_/);
  await page.getByRole('button', { name: 'I have it' }).click();
  await page.getByText('editor').waitFor();
  return [...formsOf({ code, link }), token];
}

interface Looked {
  readonly secrets: readonly string[];
  readonly addresses: readonly string[];
}

async function assertNowhere(page: Page, { secrets, addresses }: Looked): Promise<void> {
  assert.deepEqual(placesWith(await readKept(page), secrets), []);
  const hasSecret = (text: string): boolean => secrets.some((one) => text.includes(one));
  assert.ok(addresses.length > 5);
  assert.deepEqual(addresses.filter(hasSecret), []);
  assert.ok(!hasSecret(await page.content()), 'nor is it still in the page');
  // Back to the very beginning: no page on the way has it in its address.
  const history = await page.context().newCDPSession(page);
  const { entries } = await history.send('Page.getNavigationHistory');
  assert.deepEqual(
    entries.filter(({ url }) => hasSecret(url)),
    [],
  );
}

test('a device that was revoked elsewhere forgets everything at its next contact', async () => {
  await using phone = await openPhone(browser, {
    gateway,
    at: '/threads',
    expects: [cut],
  });
  const { page } = phone;
  await page.getByText('overloaded').first().waitFor();
  const { items } = await gateway.client.auth.devices({ query: { limit: 100 } });
  const own = items.filter(({ is_current: isCurrent }) => !isCurrent);
  for (const { id } of own) await gateway.client.auth.revokeDevice({ params: { id } });
  await page.reload();
  await page.getByLabel('Login link').waitFor();
  const words = ['tidy', 'rm -r build', 'overloaded', 'nightly', content.done, content.run];
  await untilGone(page, words);
  assert.equal(await page.getByText('overloaded').count(), 0, 'nor does it show anything');
});

/* The screen is locked first, and then what was kept is removed. */
async function untilGone(page: Page, words: readonly string[]): Promise<void> {
  while (placesWith(await readKept(page), words).length > 0) await page.waitForTimeout(20);
}

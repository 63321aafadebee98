/*
 * Hosts and keys from a phone, against a real sshd: added, trusted, its key changed, our key replaced and revoked.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openSshd } from '@clawdfather/testkit';
import type { Browser, Page } from 'playwright-core';
import { openChromium } from './support/chromium.ts';
import { openPhone } from './support/phone.ts';
import { openRealGateway, type RealGateway } from './support/real-gateway.ts';

let browser: Browser;
let gateway: RealGateway;

before(async () => {
  gateway = await openRealGateway({ settings: { gateway: { hostTestsPerMinute: 30 } } });
  browser = await openChromium();
});
after(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

test('a host is added, let in, trusted, blocked when its key changes, trusted anew; its key is replaced and revoked', async (t) => {
  const sshd = await openSshd(t);
  // A changed key is answered with 409, which Chromium notes.
  await using phone = await openPhone(browser, {
    gateway,
    at: '/hosts',
    expects: [/status of 409/],
  });
  const { page } = phone;
  await page.getByText('This machine only').waitFor();
  await page.getByRole('link', { name: 'Add a host' }).click();
  await page.getByLabel('Name', { exact: true }).fill('web');
  await page.getByLabel('Host name or address').fill(sshd.host);
  await page.getByLabel('Port').fill(String(sshd.port));
  await page.getByLabel('User on the host').fill(sshd.user);
  await page.getByRole('button', { name: 'Look whether it answers' }).click();
  await page.getByText('An SSH server answers there.').waitFor();
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.getByRole('heading', { name: 'web', exact: true }).waitFor();

  // It is tested before the key is installed: the way shows where it stops.
  const command = await page.getByLabel('Install command').textContent();
  await page.getByRole('button', { name: 'Test the connection' }).click();
  await page.getByText('Is this the key of your host?').waitFor();
  // As ssh-keygen prints it, beside the groups.
  await page.getByText(/^SHA256:[\w+/]{43}$/).waitFor();
  await page.getByRole('button', { name: 'They are the same: trust it' }).click();
  await page.getByText('The key lets us in: no').waitFor();
  // It was reached: four steps went well.
  await page.locator('header').getByText('key not accepted').waitFor();
  sshd.authorize(/ssh-ed25519 \S+/.exec(command ?? '')?.[0] ?? '');
  await testNow(page);
  await page.locator('header').getByText('works').waitFor();
  // What the test has found is seen, also after what stood above it is gone.
  await page.getByText('Let it in', { exact: true }).waitFor({ state: 'detached' });
  await page.waitForFunction(() => {
    const head = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0;
    const found = [...document.querySelectorAll('h2')].find(
      (one) => one.textContent === 'It works',
    );
    const box = found?.getBoundingClientRect();
    return box !== undefined && box.top >= head && box.bottom <= innerHeight;
  });
  await page.getByRole('button', { name: 'Open a session' }).click();
  await page.getByText('web: commands').waitFor();

  const before = (await host()).host_key_fingerprint;
  await sshd.swapHostKey();
  await testNow(page);
  await page.getByText('web shows another key').waitFor();
  await page.getByText('1 session is still open with the trusted key').waitFor();
  await page.getByRole('button', { name: 'Keep blocked' }).click();
  await page.getByText('It stays blocked.').waitFor();
  assert.equal((await host()).host_key_fingerprint, before);

  await page.getByRole('button', { name: 'Trust the new key' }).click();
  const sheet = page.getByRole('dialog');
  const trust = sheet.getByRole('button', { name: 'Trust the new key' });
  assert.ok(await trust.isDisabled(), 'the name has to be typed first');
  await sheet.getByRole('textbox').fill(sshd.host);
  await trust.click();
  await page.locator('header').getByText('works').waitFor();
  const now = await host();
  assert.ok(now.host_key_fingerprint !== null && now.host_key_fingerprint !== before);

  await replaceKey(page, (line) => sshd.authorize(line));
  assert.notEqual((await host()).keypair_id, now.keypair_id);
  await revokeKey(page);
});

test('in a wide window the keys stand beside the one that is open, with those that were made and revoked there', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/keys', size: 'desk' });
  const { page } = phone;
  await page.getByText('Choose a key to see it here.').waitFor();
  for (const name of ['first', 'second']) {
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('.side a[aria-current="page"]', { hasText: name }).waitFor();
  }
  const first = page.locator('.side').getByRole('link', { name: 'first' });
  await first.click();
  await page.getByRole('heading', { level: 1, name: 'first' }).waitFor();
  await page.getByRole('button', { name: 'Revoke it' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke it' }).click();
  await first.waitFor({ state: 'detached' });
  await page.locator('.side').getByRole('link', { name: 'second' }).waitFor();
});

async function testNow(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Test the connection|Look at both keys/ }).click();
}

async function host() {
  const { items } = await gateway.client.connections.list();
  assert.ok(items[0] !== undefined);
  return items[0];
}

/* From the host's own screen. */
async function replaceKey(page: Page, authorize: (line: string) => void): Promise<void> {
  await page.getByRole('link', { name: 'key of web' }).click();
  await page.getByRole('button', { name: 'Replace it' }).click();
  await page.getByRole('button', { name: 'Make the new key' }).click();
  await page.getByText('install this key there, then test').waitFor();
  const command = await page.getByLabel('Install command').textContent();
  authorize(/ssh-ed25519 \S+/.exec(command ?? '')?.[0] ?? '');
  await page.getByRole('link', { name: /web/ }).click();
  await page.getByText('Install the new key').waitFor();
  await testNow(page);
  await page.getByText('Install the new key').waitFor({ state: 'detached' });
}

async function revokeKey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Open a session' }).click();
  await page.getByText('web: commands').waitFor();
  await page.getByRole('link', { name: /key of web/ }).click();
  await page.getByRole('button', { name: 'Revoke it' }).click();
  const sheet = page.getByRole('dialog');
  await sheet.getByText('These sessions are closed').waitFor();
  await sheet.getByRole('button', { name: /Revoke it and close 1/ }).click();
  await page.getByRole('heading', { name: 'Keys' }).waitFor();
  const { items } = await gateway.client.sessions.list({ query: { status: 'active' } });
  assert.deepEqual(items, []);
}

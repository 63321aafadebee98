/*
 * What the account sets on the gateway, from a phone: the channels besides push are tried, and each says what came of it.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium } from './support/chromium.ts';
import { openPhone } from './support/phone.ts';
import { openRealGateway, type RealGateway } from './support/real-gateway.ts';

let browser: Browser;
let gateway: RealGateway;
/* Takes what is sent to the channel. */
const told: string[] = [];
const server = createServer((request, response) => {
  told.push(request.method ?? '');
  request.resume().on('end', () => response.writeHead(204).end());
});

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const settings = { notify: { ntfy: { url: `http://127.0.0.1:${port}`, topic: 'a-word' } } };
  gateway = await openRealGateway({ settings });
  browser = await openChromium();
});
after(async () => {
  server.close();
  server.closeAllConnections();
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

test('the owner sends a test to every channel, and reads what came of each', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/settings' });
  const { page } = phone;
  await page.getByRole('button', { name: 'Send a test to each of them' }).click();
  const row = page.locator('.row', { hasText: 'ntfy' });
  await row.getByText('sent', { exact: true }).waitFor();
  assert.deepEqual(told, ['POST']);
});

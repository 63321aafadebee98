/*
 * The queue on a phone: which message waits, of which thread, and changing that with the same words as in the thread.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium } from './support/chromium.ts';
import { beginThread, prompt } from './support/conversations.ts';
import { openPhone } from './support/phone.ts';
import { openRealGateway, type RealGateway } from './support/real-gateway.ts';

let browser: Browser;
let gateway: RealGateway;

before(async () => {
  const settings = { queue: { agent: { active: 1, wait: '1d' } } };
  gateway = await openRealGateway({ settings });
  browser = await openChromium();
});
after(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

test('each message that waits is told from the others by how it begins and by its thread, and moved, edited and taken back', async () => {
  const { client } = gateway;
  using gate = gateway.gate('busy');
  const busy = await beginThread(client);
  await prompt(client, busy, 'sleep at busy');
  await gate.reached();
  const said = ['Tidy the attic', 'Paint the fence'];
  for (const [index, text] of said.entries()) {
    const id = await beginThread(client);
    await prompt(client, id, `${text}\n\nand then some more`);
    await client.threads.edit({ params: { id }, body: { title: `House ${index + 1}` } });
  }
  await using phone = await openPhone(browser, { gateway, at: '/queue' });
  const { page } = phone;
  const rows = page.locator('.waiting-turn');
  await rows.nth(1).waitFor();
  const order = async () => (await rows.locator('a').allTextContents()).map((text) => text.trim());
  assert.deepEqual(await order(), [
    '1. Tidy the attic and then some more',
    '2. Paint the fence and then some more',
  ]);
  await rows.nth(0).getByText('House 1 · echo').waitFor();
  await rows
    .nth(0)
    .getByText(/ · just now$/)
    .waitFor();
  await rows.nth(1).getByRole('button', { name: 'Move up' }).click();
  await rows.nth(0).getByText('1. Paint the fence').waitFor();
  await rows.nth(0).getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('What to say instead').fill('Paint the door');
  await page.getByRole('button', { name: 'Save' }).click();
  await rows.nth(0).getByText('1. Paint the door').waitFor();
  await rows.nth(0).getByRole('button', { name: 'Take back' }).click();
  await page.getByRole('button', { name: 'Take it back' }).click();
  await rows.getByText('Paint the door').waitFor({ state: 'detached' });
  assert.deepEqual(await order(), ['1. Tidy the attic and then some more']);
});

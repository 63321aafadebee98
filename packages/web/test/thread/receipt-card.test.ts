/*
 * The receipt and the conversation below it share the screen, in a real browser: both can be read, and what is asked can be answered; when the reader
 * goes on, the receipt makes room.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { counting, isApproval, isEnd, prompt, talk, untilEvent } from '../support/conversations.ts';
import { openPhone, type Phone, type PhoneSize } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';

let browser: Browser;
let gateway: RealGateway;
/* Its agent waits for an answer; the other's is done. */
let asking: string;
let done: string;

before(async () => {
  gateway = await openRealGateway();
  browser = await openChromium();
  done = await leftThread();
  asking = await leftThread();
  await prompt(gateway.client, asking, 'plan: a, b\nask: terraform apply');
  await untilEvent(gateway.client, asking, isApproval);
});
after(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

/* Of three turns, all but the first event of it not looked at. */
async function leftThread(): Promise<string> {
  const { client } = gateway;
  const id = await talk(client, 'First.');
  for (const text of ['Second.', 'Third.']) await prompt(client, id, text);
  await untilEvent(client, id, counting(3, isEnd));
  await client.seen.mark({ params: { id }, body: { seq: 1 } });
  return id;
}

async function openAt(id: string, size: PhoneSize, textSize: string): Promise<Phone> {
  const phone = await openPhone(browser, { gateway, size });
  await phone.page.evaluate(
    (text) => localStorage.setItem('clf-preferences', JSON.stringify({ textSize: text })),
    textSize,
  );
  // What one of the tests has looked at is still new for the next.
  await phone.page.route('**/threads/*/seen', (route) => route.fulfill({ json: {} }));
  await phone.page.goto(new URL(`/threads/${id}`, gateway.url).href);
  await phone.page.getByRole('heading', { name: 'While you were away' }).waitFor();
  return phone;
}

const screens = [
  ['small', 'usual'],
  ['small', 'largest'],
  ['usual', 'usual'],
  ['usual', 'largest'],
] as const;

for (const [size, textSize] of screens) {
  test(`beside a receipt two fifths of the room are the conversation's, and what is asked is answered there (${size} screen, letters: ${textSize})`, async () => {
    await using phone = await openAt(asking, size, textSize);
    const { page } = phone;
    await page.locator('.receipt .good').waitFor();
    await page.locator('.decision-bar').waitFor();
    const at = await page.evaluate(() => {
      const box = (name: string) =>
        document.querySelector(name)?.getBoundingClientRect() ?? new DOMRect();
      const [head, list, foot, receipt] = [
        '.head',
        '.conversation',
        '.thread-foot',
        '.receipt',
      ].map(box);
      return { head, list, foot, receipt };
    });
    const { head, list, foot, receipt } = at as Required<Record<keyof typeof at, DOMRect>>;
    const room = foot.top - head.bottom;
    assert.ok(list.height >= 0.4 * room - 1, `${list.height} of ${room} px`);
    assert.ok(list.bottom <= foot.top + 1, 'nothing runs behind what is written in');
    assert.ok(receipt.bottom <= list.top + 1, 'nor the receipt behind the conversation');
    assert.ok(receipt.height >= 60, `the receipt has ${receipt.height} px`);
    // As often as the card is shown from its beginning first.
    await page.waitForFunction(() => {
      const bar = document.querySelector('.decision-bar');
      bar?.scrollIntoView({ block: 'nearest' });
      return document.querySelector('.decision-bar button[aria-disabled="false"]') !== null;
    });
  });
}

test('its lines run from edge to edge, as far from the left as from the right', async () => {
  await using phone = await openAt(asking, 'usual', 'usual');
  const insets = await phone.page.locator('.receipt').evaluate((card) => {
    const { left, right } = card.getBoundingClientRect();
    return [...card.querySelectorAll('li, summary')].map((line) => {
      const box = line.getBoundingClientRect();
      return [Math.round(box.left - left), Math.round(right - box.right)] as const;
    });
  });
  assert.ok(insets.length > 2);
  for (const [before, behind] of insets) assert.equal(before, behind);
});

test('who says something has the receipt in one line, and opened again it says how the thread stands now', async () => {
  await using phone = await openAt(done, 'usual', 'usual');
  const { page } = phone;
  const card = page.getByRole('region', { name: 'While you were away' });
  await card.getByText('Now: ready for your next message').waitFor();
  using gate = gateway.gate('receipt');
  await page.getByLabel('Message').fill('Go on.\nsleep at receipt');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.receipt.read').waitFor();
  await gate.reached();
  await page.locator('.thread-facts').getByText('running').waitFor();
  await card.getByRole('button', { name: /all of it is here ✓/i }).click();
  await card.getByText('Now: working').waitFor();
  gate.release();
  await card.getByText('Now: ready for your next message').waitFor();
});

test('what was read elsewhere since the thread was last open here is not told as news, though the device has an older mark', async () => {
  const { client } = gateway;
  const id = await leftThread();
  await using phone = await openPhone(browser, { gateway });
  const { page } = phone;
  const title = page.getByRole('heading', { name: 'First.' });
  const isKept = page.waitForRequest((request) => request.url().includes(`/${id}/receipt`));
  // It is not looked at by this device, which keeps how the thread stood.
  await page.route('**/threads/*/seen', (route) => route.fulfill({ json: {} }));
  await phone.go(`/threads/${id}`);
  await title.waitFor();
  await isKept;
  await phone.go('/more');
  await page.getByRole('heading', { name: 'More' }).waitFor();
  const { thread } = await client.threads.get({ params: { id } });
  await client.seen.mark({ params: { id }, body: { seq: thread.last_seq } });
  const gate = Promise.withResolvers<void>();
  await page.route(`**/api/v1/threads/${id}`, async (route) => {
    await gate.promise;
    await route.continue();
  });
  const asked = page.waitForRequest((request) => request.url().includes(`/${id}/receipt`));
  await phone.go(`/threads/${id}`);
  await title.waitFor();
  await page.locator('.said').last().waitFor();
  gate.resolve();
  const { searchParams } = new URL((await asked).url());
  assert.equal(searchParams.get('since'), String(thread.last_seq));
});

/*
 * The list of conversations, from a phone: what works with its last step, pins, names, putting away and taking back; the receipts of the
 * inbox; and what is chosen for the agent of one.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { beginThread, isEnd, prompt, talk, untilEvent } from '../support/conversations.ts';
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

test('a thread is pinned, renamed, archived and taken back; another device sees the same', async () => {
  const id = await talk(gateway.client, 'hello');
  await using phone = await openPhone(browser, { gateway, at: '/threads' });
  const { page } = phone;
  const more = (name: string) => page.getByRole('button', { name: `More about ${name}` });
  await more('hello').click();
  await page.getByRole('button', { name: 'Pin to the top' }).click();
  await page.getByRole('heading', { name: /Pinned/ }).waitFor();
  await more('hello').click();
  await page.getByRole('button', { name: 'Rename…' }).click();
  await page.getByLabel('Name', { exact: true }).fill('The greeting');
  await page.getByRole('button', { name: 'Save' }).click();
  await more('The greeting').waitFor();
  const { thread } = await gateway.client.threads.get({ params: { id } });
  assert.equal(thread.title, 'The greeting');
  assert.ok(typeof thread.pinned_at === 'string', 'on the gateway, so on all devices');
  await more('The greeting').click();
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  await page.getByText('Start your first thread').waitFor();
  await page.getByRole('button', { name: 'Archived' }).click();
  await page.getByText('The greeting').click();
  await page.getByRole('button', { name: 'Unarchive' }).click();
  await page.getByLabel('Message').fill('still there?');
  await page.getByRole('button', { name: 'Send' }).click();
  await untilEvent(gateway.client, id, (event) => isEnd(event) && event.seq > thread.last_seq);
});

test('a thread that works says what it did last and for how long; without the gateway, since when that is unknown', async () => {
  const { client } = gateway;
  using gate = gateway.gate('hold');
  const id = await beginThread(client);
  await prompt(client, id, 'tool: npm test --workspaces\nsleep at hold');
  await gate.reached();
  await using phone = await openPhone(browser, {
    gateway,
    at: '/threads',
    expects: [/ERR_|Failed to load|50[234]/],
  });
  const { page } = phone;
  const row = page.getByRole('link', { name: /npm test --workspaces/ });
  await row.waitFor();
  assert.match((await row.textContent()) ?? '', /\d s|\d min/);
  assert.equal(await row.locator('.spinner').count(), 1);
  await gateway.kill();
  await page.locator('.badge').getByText('unknown', { exact: true }).waitFor();
  await page
    .locator('.facts')
    .getByText(/^since \d/)
    .waitFor();
  assert.equal(await page.locator('.rows .spinner').count(), 0, 'nothing turns that is not known');
  await gateway.start();
  await page.locator('.rows .spinner').waitFor();
  gate.release();
  await untilEvent(client, id, isEnd);
});

test('a conversation is compared with the journals of its agents from its menu', async () => {
  const id = await talk(gateway.client, 'word for word');
  await using phone = await openPhone(browser, { gateway, at: `/threads/${id}` });
  const { page } = phone;
  await page.getByRole('button', { name: 'More about this thread' }).click();
  await page.getByRole('button', { name: 'Compare with the journals…' }).click();
  const sheet = page.getByRole('dialog', { name: 'Compared with the journals' });
  await sheet.getByText(/^As its agent said it: \d+ texts and updates are the same\.$/).waitFor();
  await sheet.getByText(/^\d+ events were looked at\.$/).waitFor();
});

test('a thread that went on unseen has its receipt in the inbox, which leads to it', async () => {
  const { client } = gateway;
  const id = await talk(client, 'look at me');
  const { thread } = await client.threads.get({ params: { id } });
  await client.seen.mark({ params: { id }, body: { seq: thread.last_seq } });
  let last = thread.last_seq;
  // One turn is no absence.
  for (const text of ['more of it', 'and more']) {
    await prompt(client, id, text);
    const end = await untilEvent(client, id, (event) => isEnd(event) && event.seq > last);
    last = end.seq;
  }
  // What is done is told by itself; what was seen as done and not looked at is a receipt.
  await using phone = await openPhone(browser, { gateway, at: '/inbox' });
  const { page } = phone;
  await page.getByRole('link', { name: /look at me.*echo.*Read/s }).waitFor();
  const { done } = await client.inbox.get();
  for (const { notice_id: noticeId } of done) {
    await client.notices.see({ params: { id: noticeId } });
  }
  await page.getByRole('heading', { name: /Went on without you/ }).waitFor();
  await page.getByRole('link', { name: /look at me.*Receipt/s }).click();
  await page.locator('.receipt').waitFor();
});

test('a mode and a model are chosen for a new thread, kept with what is typed, shown in it, and changed there', async () => {
  // What the agent offers is known from then on.
  await talk(gateway.client, 'hello again');
  await using phone = await openPhone(browser, { gateway, at: '/new', size: 'small' });
  const { page } = phone;
  const pick = async (name: string, value: string): Promise<void> => {
    await page.locator('.picked', { has: page.getByText(name, { exact: true }) }).click();
    await page.locator('dialog.tall-sheet .row', { hasText: value }).click();
    await page.locator('dialog.tall-sheet').waitFor({ state: 'detached' });
  };
  const picked = (text: RegExp) => page.locator('.picked', { hasText: text });
  await picked(/^Mode\s*The agent’s own choice/).waitFor();
  await pick('Model', 'Echo large');
  await picked(/^Model\s*Echo large/).waitFor();
  await pick('Mode', 'code');
  await picked(/^Mode\s*code/).waitFor();
  await page.getByLabel('What should it do?').fill('say choices');
  // All of it is on the device.
  const isKept = async (): Promise<boolean> => {
    const texts = (await readTable<{ text: string }>(page, 'drafts')).map(({ text }) => text);
    return texts.includes('say choices') && texts.includes('{"model":"large","mode":"code"}');
  };
  while (!(await isKept())) await page.evaluate(() => new Promise(requestAnimationFrame));
  await page.reload();
  await picked(/^Mode\s*code/).waitFor();
  await picked(/^Model\s*Echo large/).waitFor();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  const conversation = page.getByRole('region', { name: 'Conversation' });
  await conversation.getByText('code large').waitFor();
  const facts = page.locator('.thread-facts .choices');
  await facts.getByText('code · Echo large').waitFor();
  await page.getByRole('button', { name: 'More about this thread' }).click();
  await page.getByRole('button', { name: 'Mode and model…' }).click();
  await pick('Mode', 'ask');
  await page.getByText('Now code; ask from the next turn on.').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByLabel('Message').fill('say choices');
  await page.getByRole('button', { name: 'Send' }).click();
  await conversation.getByText('ask large').waitFor();
  await facts.getByText('ask · Echo large').waitFor();
  await conversation.getByText('Mode: “ask”, from the next turn on.').waitFor();
  // What the agent does not offer can be taken back.
  const { threads } = gateway.client;
  const shown = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await threads.edit({ params: { id: shown }, body: { chosen: { colour: 'red' } } });
  await conversation.getByText('colour: “red”, from the next turn on.').waitFor();
  await page.getByLabel('Message').fill('say choices');
  await page.getByRole('button', { name: 'Send' }).click();
  await conversation.getByText(/^colour “red” could not be set/).waitFor();
  await page.getByRole('button', { name: 'More about this thread' }).click();
  await page.getByRole('button', { name: 'Mode and model…' }).click();
  await page.getByRole('button', { name: 'Leave it to the agent' }).click();
  await conversation.getByText('colour: the agent’s own choice').waitFor();
});

test('a message that failed is written again from there, and its thread is in the list when the gateway is gone', async () => {
  const expects = [/ERR_|Failed to load|50[234]/];
  await using phone = await openPhone(browser, { gateway, at: '/threads', expects });
  const { page } = phone;
  const untilListed = async (isIt: (list: string) => boolean): Promise<void> => {
    for (;;) {
      const rows = await readTable<{ key: string; value: unknown }>(page, 'snapshots');
      const list = rows.find(({ key }) => key.startsWith('threads-'))?.value;
      if (list !== undefined && isIt(JSON.stringify(list))) return;
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
  };
  await untilListed(() => true);
  await phone.go('/more');
  const id = await talk(gateway.client, 'fail: no luck today');
  await phone.go(`/threads/${id}`);
  await page.locator('.turn-trouble').getByText('no luck today').waitFor();
  await page.getByRole('button', { name: 'Write it again' }).click();
  await page.waitForFunction(
    () => document.querySelector('textarea')?.value === 'fail: no luck today',
  );
  await untilListed((list) => list.includes(id));
  // From then on the app opens without a network.
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await gateway.kill();
  await page.goto(`${gateway.url}/threads`);
  await page.getByRole('link', { name: /no luck today/ }).waitFor();
  await gateway.start();
});

test('a search says that it looks among the threads that are loaded, until all are', async () => {
  const { client } = gateway;
  for (const title of ['The oldest', ...Array.from({ length: 105 }, (_, n) => `Heap ${n}`)])
    await client.threads.create({ body: { title } });
  await using phone = await openPhone(browser, { gateway, at: '/threads' });
  const { page } = phone;
  const told = page.getByText(/Looks among the newest 1\d\d of 1\d\d/);
  await page.getByText('Heap 104', { exact: true }).waitFor();
  assert.equal(await told.count(), 0, 'nothing is searched yet');
  await page.getByLabel('Search threads').fill('oldest');
  await told.waitFor();
  await page.getByText('No thread is like that').waitFor();
  await page.getByRole('button', { name: /Show more/ }).click();
  await page.getByText('The oldest', { exact: true }).waitFor();
  assert.equal(await told.count(), 0, 'all are loaded');
});

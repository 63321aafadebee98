/*
 * Writing, leaving and coming back, in a real browser: drafts, input methods, what waits, and the way from the receipt. (Its numbers: receipt-cuts.)
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { fillThread, ordinaryEvents } from '../support/fill-thread.ts';
import { openPhone, setVisible } from '../support/phone.ts';
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

test('while a character is put together Enter sends nothing; what was typed is there after a reload, and is sent once', async () => {
  const { thread } = await gateway.client.threads.create({ body: {} });
  await using phone = await openPhone(browser, {
    gateway,
    size: 'desk',
    at: `/threads/${thread.id}`,
  });
  const { page } = phone;
  const box = page.getByLabel('Message');
  await box.focus();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Input.imeSetComposition', {
    text: 'にほ',
    selectionStart: 2,
    selectionEnd: 2,
  });
  await devtools.send('Input.dispatchKeyEvent', {
    type: 'keyDown',
    key: 'Enter',
    code: 'Enter',
    windowsVirtualKeyCode: 229,
  });
  assert.equal(await page.locator('.said').count(), 0);
  await devtools.send('Input.insertText', { text: '日本' });
  assert.equal(await box.inputValue(), '日本');
  await box.pressSequentially(' and more');
  await page.evaluate(keptDraft, '日本 and more');
  await page.reload();
  await page.waitForFunction(() => document.querySelector('textarea')?.value === '日本 and more');
  await box.press('Enter');
  await page.locator('.said').getByText('日本 and more').waitFor();
  assert.equal(await box.inputValue(), '');
  await page.locator('.thread-facts').getByText('done').waitFor();
  const { turns } = await gateway.client.threads.get({ params: { id: thread.id } });
  assert.equal(turns.length, 1);
});

/* In the page: resolves when the draft is on the device. */
async function keptDraft(text: string): Promise<void> {
  for (;;) {
    const names = (await indexedDB.databases()).map(({ name }) => name ?? '');
    for (const name of names) {
      const rows = await new Promise<readonly { readonly text?: string }[]>((resolve) => {
        const opening = indexedDB.open(name);
        opening.onsuccess = () => {
          const db = opening.result;
          if (!db.objectStoreNames.contains('drafts')) return resolve([]);
          const asked = db.transaction('drafts').objectStore('drafts').getAll();
          asked.onsuccess = () => {
            db.close();
            resolve(asked.result as readonly { readonly text?: string }[]);
          };
        };
      });
      if (rows.some((row) => row.text === text)) return;
    }
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

test('what is said while a turn runs waits above the composer with its place, can be changed and taken back', async () => {
  const { thread } = await gateway.client.threads.create({ body: {} });
  await using phone = await openPhone(browser, { gateway, at: `/threads/${thread.id}` });
  const { page } = phone;
  using gate = gateway.gate('queue');
  const box = page.getByLabel('Message');
  const send = page.getByRole('button', { name: 'Send' });
  await box.fill('First.\nsleep at queue');
  await send.click();
  await gate.reached();
  for (const text of ['Second words', 'Third words']) {
    await box.fill(text);
    await send.click();
    await page.locator('.waiting-bar').getByText(text).waitFor();
  }
  const bar = page.getByRole('list', { name: 'Not begun yet' });
  await bar.getByText('1st in line').waitFor();
  await bar.getByRole('button', { name: 'Edit' }).first().click();
  await page.getByLabel('What it says').fill('Other words');
  await bar.getByRole('button', { name: 'Save' }).click();
  await bar.getByText('Other words').waitFor();
  await bar.getByRole('button', { name: 'Take back' }).last().click();
  await bar.getByText('Third words').waitFor({ state: 'detached' });
  assert.ok(await page.getByRole('button', { name: 'Stop the agent' }).isVisible());
  gate.release();
  await page.locator('.said').getByText('Other words').waitFor();
  await page.locator('.markdown').getByText('Other words').waitFor();
  await bar.waitFor({ state: 'detached' });
});

test('a message that the gateway shows before it has answered is shown once', async () => {
  const { thread } = await gateway.client.threads.create({ body: {} });
  await using phone = await openPhone(browser, { gateway, at: `/threads/${thread.id}` });
  const { page } = phone;
  using gate = gateway.gate('answer');
  const box = page.getByLabel('Message');
  const send = page.getByRole('button', { name: 'Send' });
  await box.fill('First.\nsleep at answer');
  await send.click();
  await gate.reached();
  const late = Promise.withResolvers<void>();
  await page.route('**/api/v1/threads/*/turns', async (route) => {
    const response = await route.fetch();
    await late.promise;
    await route.fulfill({ response });
  });
  await box.fill('Second words');
  await send.click();
  const bar = page.getByRole('list', { name: 'Not begun yet' });
  await bar.getByText('1st in line').waitFor();
  assert.equal(await bar.getByRole('listitem').count(), 1);
  await bar.getByText('Second words').waitFor();
  late.resolve();
  gate.release();
  await page.locator('.markdown').getByText('Second words').waitFor();
  await bar.waitFor({ state: 'detached' });
});

test('a line of the receipt leads to its place, also on an older page; the receipt stays as one line and opens again', async () => {
  const events = ordinaryEvents(1_200);
  const question = 12;
  const first = events.findIndex(({ turnId }) => turnId === `turn-0000${question}`);
  const id = await fillThread(gateway, events);
  await gateway.client.seen.mark({ params: { id }, body: { seq: first } });
  await using phone = await openPhone(browser, { gateway, at: `/threads/${id}` });
  const { page } = phone;
  const card = page.getByRole('region', { name: 'While you were away' });
  const said = page.locator('.said', { hasText: `Question ${question}:` });
  assert.equal(await said.count(), 0);
  await card.getByRole('button', { name: /all of it is here ✓/i }).click();
  // The first event after the last one that was looked at, at the top of what is read.
  await said.waitFor();
  await page.waitForFunction((text) => {
    const list = document.querySelector('.conversation');
    const row = [...document.querySelectorAll('.said')].find((one) =>
      one.textContent?.includes(text),
    );
    if (list === null || row === undefined) return false;
    const top = row.getBoundingClientRect().top - list.getBoundingClientRect().top;
    return top >= 0 && top < 120;
  }, `Question ${question}:`);
  const line = card.getByRole('button', { name: /all of it is here ✓/i });
  assert.equal(await card.getByRole('heading').count(), 0);
  await line.click();
  await card.getByRole('heading', { name: 'While you were away' }).waitFor();
  await card.getByRole('button', { name: /^Now:/ }).click();
  await page.locator('.stretch > li').last().getByText('Done').waitFor();
});

test('a turn that is longer than a page has its changed files, and no duration that is not known', async () => {
  const turnId = 'turn-long';
  const of = (type: string, payload: object) => ({ type, payload: { ...payload }, turnId });
  const text = 'all of it '.repeat(200);
  const content = [{ type: 'content', content: { type: 'text', text } }];
  const tools = Array.from({ length: 700 }, (_, n) =>
    of('tool', { update: 'tool_call', toolCallId: `t${n}`, title: `step ${n}`, content }),
  );
  const id = await fillThread(gateway, [
    of('message', { role: 'user', blocks: [{ type: 'text', text: 'The beginning' }] }),
    ...tools,
    of('status', { event: 'completed', result: { code: 'success' } }),
  ]);
  await using phone = await openPhone(browser, { gateway });
  const { page } = phone;
  const file = { n: 1, path: 'src/a.ts', added: 2, removed: 1 };
  await page.route(`**/${turnId}/changes`, (route) => route.fulfill({ json: { files: [file] } }));
  await phone.go(`/threads/${id}`);
  const changed = page.getByRole('region', { name: 'Files changed' });
  await changed.getByText('1 file changed').waitFor();
  await page.locator('.turn-end', { hasText: /^Done · \d\d?:\d\d/ }).waitFor();
  assert.equal(await page.getByText('The beginning').count(), 0);
});

test('a thread whose end was reached while the page was hidden is looked at when the page is seen again', async () => {
  const id = await fillThread(gateway, ordinaryEvents(8));
  await using phone = await openPhone(browser, { gateway });
  const { page } = phone;
  await page.clock.install();
  await setVisible(page, false);
  await phone.go(`/threads/${id}`);
  await page.locator('.said').last().waitFor();
  // Longer than a look.
  await page.clock.runFor(5_000);
  const told = page.waitForRequest((request) => request.url().endsWith(`/threads/${id}/seen`));
  await setVisible(page, true);
  await page.clock.runFor(5_000);
  const { seq } = (await told).postDataJSON() as { readonly seq: number };
  const { thread } = await gateway.client.threads.get({ params: { id } });
  assert.equal(seq, thread.last_seq);
});

test('what an agent asks and is decided elsewhere keeps its card until the turn ends', async () => {
  const { thread } = await gateway.client.threads.create({ body: {} });
  const params = { id: thread.id };
  using gate = gateway.gate('kept');
  const text = 'ask: rm -r build\nsleep at kept';
  await gateway.client.threads.prompt({ params, body: { text } });
  await using phone = await openPhone(browser, { gateway, at: `/threads/${thread.id}` });
  const card = phone.page.locator('.decision');
  await card.getByText('rm -r build').first().waitFor();
  const { items } = await gateway.client.asks.list();
  const ask = items.find(({ thread_id: of }) => of === thread.id);
  const option = ask?.options.at(-1)?.option_id ?? '';
  await gateway.client.asks.answer({
    params: { id: ask?.id ?? '' },
    body: { option_id: option },
  });
  await card.getByText(/ by you, on “.+”/).waitFor();
  await gate.reached();
  assert.equal(await card.locator('.decision-bar').count(), 0);
  gate.release();
  await phone.page.locator('.thread-facts').getByText('done').waitFor();
  await card.waitFor({ state: 'detached' });
});

test('no room for one more agent: the turn says so, and a session that holds a place is closed from there', async () => {
  const { client } = gateway;
  const { total: open } = await client.sessions.list({ query: { status: 'active' } });
  // As many as agents may have (docs/agents.md).
  for (let count = open; count < 64; count += 1) await client.sessions.create({ body: {} });
  const { thread } = await client.threads.create({ body: {} });
  await using phone = await openPhone(browser, { gateway, at: `/threads/${thread.id}` });
  const { page } = phone;
  const say = async (text: string): Promise<void> => {
    await page.getByLabel('Message').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  };
  await say('Is there room?');
  await page.locator('.turn-trouble').getByText('64 of 64 sessions are open').waitFor();
  await page.getByRole('button', { name: 'What holds the places' }).click();
  const sheet = page.getByRole('dialog', { name: 'What holds the places' });
  const heading = sheet.getByRole('heading', { name: /Open sessions/ });
  await heading.getByText('64').waitFor();
  await sheet.locator('.row').getByRole('button', { name: 'Close' }).first().click();
  await page.getByRole('button', { name: 'Close it' }).click();
  await heading.getByText('63').waitFor();
  await sheet.locator('header').getByRole('button', { name: 'Close' }).click();
  await say('And now?');
  await page.locator('.thread-facts').getByText('done').waitFor();
  await client.sessions.closeAll();
});

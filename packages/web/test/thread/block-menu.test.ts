/*
 * What can be done with a message or a call of a tool, in a real browser: exactly its text is copied and shared, a quotation is written and not sent,
 * and its button moves nothing and is in the way of nothing.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { eventsOf } from '../support/conversations.ts';
import { fillThread } from '../support/fill-thread.ts';
import { openPhone, type Phone, type PhoneSize } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';

const turnId = 'turn-menu';
const asked = 'Look at **this**,\nplease.';
/* With what hides and what turns text. */
const answered =
  'It is `rm -rf \u202e/` and\u200b more, which is told here at a length that needs more than one line.\n\n- one\n- two\n\n```sh\nnpm test\n```\n';
const output = '\u001b[1mone\u001b[0m\ntwo\n';
const kinds = {
  asked: 'More about what you said',
  answered: 'More about what the agent said',
  tool: 'More about this call of a tool',
} as const;

let browser: Browser;
let gateway: RealGateway;
let owner: Phone;
let threadId: string;

before(async () => {
  gateway = await openRealGateway();
  browser = await openChromium();
  threadId = await fillThread(gateway, [
    { type: 'message', payload: { role: 'user', blocks: [{ type: 'text', text: asked }] }, turnId },
    {
      type: 'tool',
      payload: {
        update: 'tool_call',
        toolCallId: 'call-1',
        title: 'Run the tests',
        kind: 'execute',
        status: 'completed',
        rawInput: { command: 'npm test' },
        content: [{ type: 'content', content: { type: 'text', text: output } }],
      },
      turnId,
    },
    { type: 'delta', payload: { role: 'agent', messageId: 'm-1', text: answered }, turnId },
    {
      type: 'status',
      payload: { event: 'completed', result: { code: 'success', stopReason: 'end_turn' } },
      turnId,
    },
  ]);
  owner = await openPhone(browser, { gateway });
});
after(async () => {
  await owner?.[Symbol.asyncDispose]();
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

async function openThread(size: PhoneSize = 'usual'): Promise<Phone> {
  const context = { permissions: ['clipboard-read', 'clipboard-write'] };
  const at = `/threads/${threadId}`;
  const phone = await openPhone(browser, { gateway, as: owner, at, size, context });
  await phone.page.locator('.turn-end').waitFor();
  return phone;
}

const sheet = (page: Page) => page.locator('dialog[open]');

async function take(page: Page, kind: keyof typeof kinds, way: string): Promise<void> {
  await page.getByRole('button', { name: kinds[kind], exact: true }).tap();
  await sheet(page).getByRole('button', { name: way, exact: true }).tap();
}

async function copied(page: Page, kind: keyof typeof kinds, way: string): Promise<string> {
  await take(page, kind, way);
  await sheet(page)
    .getByText(/^Copied/)
    .waitFor();
  await sheet(page).getByRole('button', { name: 'Close' }).tap();
  await sheet(page).waitFor({ state: 'detached' });
  return page.evaluate(() => navigator.clipboard.readText());
}

test('what is copied is exactly the text: as it was said, as Markdown with what it hides, and a tool with what it was given and gave', async () => {
  await using phone = await openThread();
  const { page } = phone;
  assert.equal(await copied(page, 'asked', 'Copy'), asked);
  assert.equal(await copied(page, 'answered', 'Copy'), answered);
  assert.equal(await copied(page, 'tool', 'Copy'), `Run the tests\n$ npm test\n${output}`);
  const raw = JSON.parse(await copied(page, 'answered', 'Copy as it came (JSON)')) as object;
  assert.deepEqual(
    { ...raw, at: '', last_at: '' },
    {
      kind: 'text',
      turn_id: turnId,
      first_seq: 3,
      last_seq: 3,
      at: '',
      last_at: '',
      cut: [],
      role: 'agent',
      message_id: 'm-1',
      text: answered,
      is_complete: false,
      begins_seq: null,
      bytes: null,
      sha256: null,
    },
  );
});

test('a browser that lets nothing be copied is named, and nothing is claimed', async () => {
  await using phone = await openThread();
  const { page } = phone;
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'));
  });
  await take(page, 'asked', 'Copy');
  await sheet(page).getByText('The browser lets nothing be copied here.').waitFor();
});

test('a quotation stands behind what was typed, has what is shown, and is not sent', async () => {
  await using phone = await openThread();
  const { page } = phone;
  const earlier = await eventsOf(gateway.client, threadId);
  const message = page.getByLabel('Message');
  await message.fill('typed before');
  await take(page, 'answered', 'Quote');
  await sheet(page).waitFor({ state: 'detached' });
  const quoted = [
    'typed before',
    '> It is `rm -rf \\u202e/` and\\u200b more, which is told here at a length that needs more than one line.',
    '>',
    '> - one',
    '> - two',
    '>',
    '> ```sh',
    '> npm test',
    '> ```',
    '',
    '',
  ].join('\n');
  await page.waitForFunction((text) => document.querySelector('textarea')?.value === text, quoted);
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
  await page.keyboard.type('mine');
  assert.equal(await message.inputValue(), `${quoted}mine`);
  assert.deepEqual(await eventsOf(gateway.client, threadId), earlier);
});

test('sharing is offered where the browser can, with the same text', async () => {
  await using phone = await openThread();
  const { page } = phone;
  await page.evaluate(() => Object.defineProperty(navigator, 'share', { value: undefined }));
  await page.getByRole('button', { name: kinds.asked }).tap();
  await sheet(page).getByRole('button', { name: 'Quote' }).waitFor();
  assert.equal(await sheet(page).getByRole('button', { name: 'Share…' }).count(), 0);
  await page.reload();
  await page.locator('.turn-end').waitFor();
  await page.evaluate(() => {
    const shared: unknown[] = [];
    // Who is asked may change their mind.
    const share = (what: unknown): Promise<void> => {
      shared.push(what);
      return Promise.reject(new DOMException('changed their mind', 'AbortError'));
    };
    Object.assign(window, { shared });
    Object.defineProperty(navigator, 'share', { value: share });
  });
  await take(page, 'asked', 'Share…');
  assert.deepEqual(await page.evaluate('shared'), [{ text: asked }]);
});

test('by keys it is opened and closed, and gives the focus back', async () => {
  await using phone = await openThread('desk');
  const { page } = phone;
  for (const name of Object.values(kinds)) {
    await page.getByRole('button', { name, exact: true }).focus();
    await page.keyboard.press('Enter');
    await sheet(page).getByRole('button', { name: 'Quote' }).waitFor();
    await page.keyboard.press('Escape');
    await sheet(page).waitFor({ state: 'detached' });
    assert.equal(await page.evaluate(() => document.activeElement?.ariaLabel), name);
    assert.equal(
      await page.evaluate(() => document.activeElement?.matches(':focus-visible')),
      true,
    );
  }
});

test('the button makes no row higher, is as big as a finger, lies on no text, and nothing moves when its menu is opened', async () => {
  await using phone = await openThread();
  const { page } = phone;
  const buttons = await page.evaluate(measureButtons);
  assert.equal(buttons.length, 3);
  for (const { name, width, height, rowPx, barePx, covered } of buttons) {
    assert.ok(width >= 44 && height >= 44, `${name}: ${width} by ${height}`);
    assert.equal(rowPx, barePx, name);
    assert.deepEqual(covered, [], name);
  }
  const places = await page.evaluate(placesOfRows);
  await page.getByRole('button', { name: kinds.tool }).tap();
  await sheet(page).getByRole('button', { name: 'Quote' }).waitFor();
  assert.deepEqual(await page.evaluate(placesOfRows), places);
});

test('in an archived thread nothing is quoted: nothing more is said there', async () => {
  const { client } = gateway;
  await using phone = await openThread();
  const { page } = phone;
  await client.threads.archive({ params: { id: threadId } });
  await page.getByText('This thread is archived.').waitFor();
  await page.getByRole('button', { name: kinds.asked }).tap();
  await sheet(page).getByRole('button', { name: 'Copy', exact: true }).waitFor();
  assert.equal(await sheet(page).getByRole('button', { name: 'Quote' }).count(), 0);
  await client.threads.unarchive({ params: { id: threadId } });
});

/* In the page: each button, how high its row is with it and without, and which letters its dots lie on. */
function measureButtons() {
  return [...document.querySelectorAll<HTMLElement>('.block-more')].map((button) => {
    const row = button.closest('li') as HTMLElement;
    const { width, height, left, right, top, bottom } = button.getBoundingClientRect();
    const dotsPx = 10;
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const covered: string[] = [];
    const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(text);
      for (const part of range.getClientRects()) {
        const isBeside = part.right <= x - dotsPx || part.left >= x + dotsPx;
        if (!isBeside && part.bottom > y - dotsPx && part.top < y + dotsPx) {
          covered.push(text.textContent ?? '');
        }
      }
    }
    const rowPx = row.getBoundingClientRect().height;
    button.style.display = 'none';
    const barePx = row.getBoundingClientRect().height;
    button.style.display = '';
    return { name: button.ariaLabel ?? '', width, height, rowPx, barePx, covered };
  });
}

/* In the page. */
function placesOfRows(): readonly number[] {
  return [...document.querySelectorAll('.stretch > li')].map(
    (row) => row.getBoundingClientRect().top,
  );
}

/*
 * Files that go along with a message, in a real browser: brought in pieces, over a connection that is cut, and given to the agent.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page, Request } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { isEnd, untilEvent } from '../support/conversations.ts';
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

const pieceBytes = 512 * 1024;
/* Two whole pieces and a part of one. */
const size = 2 * pieceBytes + 1_000;

async function beginThread(): Promise<string> {
  const { thread } = await gateway.client.threads.create({ body: {} });
  return thread.id;
}

function attach(page: Page, ...files: { name: string; mimeType: string; buffer: Buffer }[]) {
  return page.locator('input[type=file]').setInputFiles(files);
}

async function untilThere(page: Page): Promise<void> {
  await page.getByText('The file is there.', { exact: true }).waitFor();
}

function isPiece(request: Request): boolean {
  return request.method() === 'PATCH' && request.url().includes('/uploads/');
}

/* Chromium sometimes reports a request as aborted although its answer was read to the end. */
function isAnswered(request: Request): boolean {
  return request.failure()?.errorText === 'net::ERR_ABORTED';
}

test('a file whose connection is cut goes on from what is there, and the agent can read all of it', async () => {
  const id = await beginThread();
  const expects = [/net::ERR_|Failed to load resource|WebSocket connection/];
  await using phone = await openPhone(browser, { gateway, at: `/threads/${id}`, expects });
  const { page } = phone;
  const offsets: number[] = [];
  let lost = 0;
  await page.route('**/api/v1/uploads/*', async (route) => {
    const request = route.request();
    if (isPiece(request)) {
      offsets.push(Number(new URL(request.url()).searchParams.get('offset')));
      // The second piece arrives; nobody is told.
      if (offsets.length === 2) gateway.proxy.swallowAnswers(true);
    }
    await route.continue();
  });
  page.on('requestfailed', (request) => {
    if (!isPiece(request) || isAnswered(request)) return;
    lost += 1;
    gateway.proxy.swallowAnswers(false);
  });
  await page.getByLabel('Message').fill('read attached');
  const buffer = Buffer.alloc(size, 'attached ');
  await attach(page, { name: 'long log.txt', mimeType: 'text/plain', buffer });
  const files = page.getByRole('list', { name: 'Files to send' });
  await files.getByText('long log.txt').waitFor();
  await untilThere(page);
  assert.equal(lost, 1, 'the connection was cut once');
  assert.deepEqual(offsets, [0, pieceBytes, 2 * pieceBytes], 'nothing was sent twice');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.markdown').getByText(`long_log.txt has ${size} bytes.`).waitFor();
  await page.getByRole('list', { name: 'Attached' }).getByText('long_log.txt').waitFor();
  await files.waitFor({ state: 'detached' });
  assert.equal(await page.getByLabel('Message').inputValue(), '');
});

test('until a file is there it cannot be sent, and it is said why; a new thread takes one, too', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/new' });
  const { page } = phone;
  const { promise: mayGo, resolve: go } = Promise.withResolvers<void>();
  await page.route('**/api/v1/uploads/*', async (route) => {
    if (route.request().method() === 'PATCH') await mayGo;
    await route.continue();
  });
  await page.getByLabel('What should it do?').fill('read attached');
  const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') };
  await attach(page, file);
  await page.getByText('You can send when the file is there.').waitFor();
  const start = page.getByRole('button', { name: 'Start' });
  assert.ok(await start.isDisabled());
  go();
  await untilThere(page);
  await start.click();
  await page.locator('.markdown').getByText('notes.txt has 5 bytes.').waitFor();
});

test('what a message does not take is refused in words, a file can be removed, and a pasted one is taken', async () => {
  const id = await beginThread();
  await using phone = await openPhone(browser, { gateway, at: `/threads/${id}` });
  const { page } = phone;
  const small = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('x') });
  await page.getByLabel('Message').waitFor();
  await attach(page, { ...small('nothing.txt'), buffer: Buffer.alloc(0) });
  await page.getByRole('alert').getByText('nothing.txt is empty.').waitFor();
  await attach(page, ...Array.from({ length: 11 }, (_, n) => small(`${n}.txt`)));
  await page.getByRole('alert').getByText('A message takes at most 10 files.').waitFor();
  const rows = page.getByRole('list', { name: 'Files to send' }).getByRole('listitem');
  await rows.nth(9).waitFor();
  assert.equal(await rows.count(), 10);
  await page.getByRole('button', { name: 'Remove 3.txt' }).click();
  assert.equal(await rows.count(), 9);
  await page.getByLabel('Message').evaluate((area) => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(['pasted'], 'image.png', { type: 'image/png' }));
    area.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  });
  await rows.getByText('image.png').waitFor();
  await page.getByText('All files are there.', { exact: true }).waitFor();
});

test('a file that is there outlives a reload; one that is not is told of', async () => {
  const id = await beginThread();
  await using phone = await openPhone(browser, { gateway, at: `/threads/${id}` });
  const { page } = phone;
  const text = { mimeType: 'text/plain', buffer: Buffer.from('kept') };
  await page.getByLabel('Message').waitFor();
  await attach(page, { name: 'there.txt', ...text });
  await untilThere(page);
  await page.route('**/api/v1/uploads/*', (route) =>
    route.request().method() === 'PATCH' ? undefined : route.continue(),
  );
  const stuck = page.waitForRequest(isPiece);
  await attach(page, { name: 'half.txt', ...text });
  await stuck;
  await page.reload();
  await page.getByText('The app was loaded anew. Attach it again.').waitFor();
  await page.getByText('A file is not there. Try it again, or remove it.').waitFor();
  await page.getByRole('button', { name: 'Remove half.txt' }).click();
  await page.getByLabel('Message').fill('read attached');
  await page.getByRole('button', { name: 'Send' }).click();
  await untilEvent(gateway.client, id, isEnd);
  await page.locator('.markdown').getByText('there.txt has 4 bytes.').waitFor();
});

test('a large picture is made smaller when that is asked for', async () => {
  const id = await beginThread();
  await using phone = await openPhone(browser, { gateway, at: `/threads/${id}` });
  const { page } = phone;
  await page.getByLabel('Message').waitFor();
  const drawn = await page.evaluate(() => {
    const canvas = document.createElement('canvas');
    canvas.width = 3_000;
    canvas.height = 1_500;
    canvas.getContext('2d')?.fillRect(0, 0, 1_000, 1_000);
    return canvas.toDataURL('image/png').split(',')[1] ?? '';
  });
  const buffer = Buffer.from(drawn, 'base64');
  await attach(page, { name: 'screen.png', mimeType: 'image/png', buffer });
  await untilThere(page);
  const again = page.waitForRequest(isPiece);
  await page.getByRole('button', { name: 'Make smaller: screen.png' }).click();
  const sent = (await again).postDataBuffer();
  // Where a PNG has its width and height.
  assert.deepEqual([sent?.readUInt32BE(16), sent?.readUInt32BE(20)], [2_048, 1_024]);
  await untilThere(page);
  await page.getByRole('button', { name: /Make smaller/ }).waitFor({ state: 'detached' });
});

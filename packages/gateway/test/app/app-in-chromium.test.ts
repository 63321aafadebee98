/*
 * The app in a real browser, at the size of a phone: in by a link, a new thread, what the agent says and asks, the answer.
 *
 * Whatever breaks the page's policy or ends in the browser's console as an error fails.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';

const program = '/usr/bin/chromium';
let browser: Browser;
let rig: TestGateway;

before(async () => {
  assert.ok(existsSync(program), 'there is no Chromium: apt-get install chromium');
  rig = await openTestGateway();
  const quiet = ['--disable-gpu', '--disable-background-networking', '--disable-component-update'];
  browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', ...quiet] });
});
after(async () => {
  await browser.close();
  await rig[Symbol.asyncDispose]();
});

interface Phone extends AsyncDisposable {
  readonly page: Page;
  /* What went wrong in it so far. */
  readonly wrongs: string[];
}

async function openPhone(): Promise<Phone> {
  const viewport = { width: 390, height: 844 };
  const context = await browser.newContext({ viewport, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  const wrongs: string[] = [];
  page.on('pageerror', (error) => wrongs.push(error.message));
  page.on('console', (message) => {
    // The first question of a stranger is answered with 401, which the browser notes.
    if (message.type() === 'error' && !message.text().includes('401')) wrongs.push(message.text());
  });
  return { page, wrongs, [Symbol.asyncDispose]: () => context.close() };
}

test('a link signs in, once, and is in no address afterwards; a thread is begun, asked back and answered', async () => {
  await using phone = await openPhone();
  const { page, wrongs } = phone;
  // As it is printed.
  await page.goto(await rig.gateway.createLoginLink());
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  assert.equal(page.url(), new URL('/inbox', rig.url).href);
  await page.getByText('Nothing needs you').waitFor();

  await page.getByRole('link', { name: 'New' }).click();
  const prompt = 'tool: Read README.md\nThe answer is **42**.\nask: rm -r build';
  await page.getByLabel('What should it do?').fill(prompt);
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByText('Read README.md').first().waitFor();
  assert.equal(await page.locator('.markdown strong').textContent(), '42');

  const allow = page.getByRole('button', { name: 'Allow' });
  await allow.click();
  await page.locator('.markdown').getByText('rm -r build: allow').waitFor();
  await page.locator('.thread-facts').getByText('done').waitFor();
  assert.deepEqual(wrongs, []);
});

test('a link that was used says so, and what is said in a thread is never a script', async () => {
  await using phone = await openPhone();
  const { page, wrongs } = phone;
  await page.goto(new URL(`/login#clf-link=${'A'.repeat(43)}`, rig.url).href);
  await page.getByRole('alert').waitFor();
  const { hash } = new URL(await rig.gateway.createLoginLink());
  await page.getByLabel('Login link').fill(hash);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await page.getByRole('link', { name: 'New' }).click();
  const hostile =
    '<img src=x onerror="document.title=1"> [a](javascript:document.title=2) <b>not bold</b>';
  await page.getByLabel('What should it do?').fill(hostile);
  await page.getByRole('button', { name: 'Start' }).click();
  await page.locator('.markdown').getByText('<b>not bold</b>').waitFor();
  assert.equal(await page.locator('.markdown img, .markdown b, .markdown a').count(), 0);
  assert.equal(await page.title(), 'Thread · Clawdfather');
  assert.deepEqual(
    wrongs.filter((wrong) => !wrong.includes('400')),
    [],
  );
});

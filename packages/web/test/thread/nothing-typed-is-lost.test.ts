/*
 * Words that come from elsewhere stand behind what was typed: examples, and a thread that was sent off and is taken back, with all that it
 * was to begin with.
 */
import assert from 'node:assert/strict';
import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { fakeAgentCommand } from '@clawdfather/testkit';
import { openChromium } from '../support/chromium.ts';
import { isEnd, prompt, untilEvent } from '../support/conversations.ts';
import { readTable } from '../support/kept-on-device.ts';
import { openPhone, type Phone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';

let browser: Browser;
let gateway: RealGateway;
let signedIn: Phone;

before(async () => {
  gateway = await openRealGateway({
    agents: (home) => ({
      second: {
        command: fakeAgentCommand({ gates: join(home, 'gates'), sessions: join(home, 'sessions') }),
      },
    }),
  });
  browser = await openChromium();
  signedIn = await openPhone(browser, { gateway });
});
after(async () => {
  await signedIn?.[Symbol.asyncDispose]();
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

const example = 'Explain what this repository does, and how its parts fit together.';
const words = (page: Page) => page.getByLabel('What should it do?');

async function untilReads(page: Page, text: string): Promise<void> {
  await page.waitForFunction(
    (wanted) => document.querySelector('textarea')?.value === wanted,
    text,
  );
}

async function untilKept(page: Page, text: string): Promise<void> {
  const isKept = async (): Promise<boolean> =>
    (await readTable<{ text: string }>(page, 'drafts')).some((row) => row.text === text);
  while (!(await isKept())) await page.evaluate(() => new Promise(requestAnimationFrame));
}

test('an example for the first thread stands behind what was begun on it', async () => {
  await using phone = await openPhone(browser, { gateway, as: signedIn, at: '/new' });
  const { page } = phone;
  await words(page).fill('my own words');
  await untilKept(page, 'my own words');
  await phone.go('/threads');
  await page.getByRole('button', { name: example }).click();
  await words(page).waitFor();
  await untilReads(page, `my own words\n${example}`);
});

test('an example in a thread stands behind what was typed just now', async () => {
  const { thread } = await gateway.client.threads.create({ body: {} });
  const at = `/threads/${thread.id}`;
  await using phone = await openPhone(browser, { gateway, as: signedIn, at });
  const { page } = phone;
  await page.getByRole('button', { name: example }).waitFor();
  await page.getByLabel('Message').fill('typed just now');
  await page.getByRole('button', { name: example }).click();
  await untilReads(page, `typed just now\n${example}`);
  await untilKept(page, `typed just now\n${example}`);
});

test('a thread that is taken back brings its words, files, agent, directory and mode, and takes nothing away', async () => {
  const { client } = gateway;
  const directory = join(gateway.directory, 'gone');
  mkdirSync(directory);
  // What the agent offers is known from then on.
  const { thread } = await client.threads.create({ body: { agent: 'second' } });
  await prompt(client, thread.id, 'hello');
  await untilEvent(client, thread.id, isEnd);
  const expects = [/status of 400/];
  await using phone = await openPhone(browser, { gateway, as: signedIn, at: '/new', expects });
  const { page } = phone;
  const picked = (text: RegExp) => page.locator('.picked', { hasText: text });
  const sheet = page.locator('dialog.tall-sheet');
  const pick = async (name: string, value: string): Promise<void> => {
    await page.locator('.picked', { has: page.getByText(name, { exact: true }) }).click();
    await sheet.locator('.row', { hasText: value }).first().click();
    await sheet.waitFor({ state: 'detached' });
  };
  await pick('Agent', 'second');
  await pick('Mode', 'code');
  await page.locator('.picked', { hasText: /^Directory/ }).click();
  await sheet.getByLabel('Another directory').fill(directory);
  await sheet.locator('.row', { hasText: `Use “${directory}”` }).click();
  await words(page).fill('say choices\nread attached');
  const file = { name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('a plan') };
  await page.locator('input[type=file]').setInputFiles([file]);
  await page.getByText('The file is there.', { exact: true }).waitFor();
  // It cannot begin there any more.
  rmdirSync(directory);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('The gateway did not take it').waitFor();
  // Another one is begun meanwhile.
  await phone.go('/new');
  await picked(/^Agent\s*echo/).waitFor();
  await words(page).fill('something else');
  await untilKept(page, 'something else');
  await phone.go('/threads');
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await words(page).waitFor();
  await untilReads(page, 'something else\nsay choices\nread attached');
  for (const known of [/^Agent\s*second/, /^Mode\s*code/]) await picked(known).waitFor();
  await picked(/^Directory/)
    .getByText(directory)
    .waitFor();
  await page.getByRole('list', { name: 'Files to send' }).getByText('plan.txt').waitFor();
  // Also for who closes the app here.
  mkdirSync(directory);
  await page.reload();
  await untilReads(page, 'something else\nsay choices\nread attached');
  await picked(/^Agent\s*second/).waitFor();
  await page.getByText('The file is there.', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  const conversation = page.getByRole('region', { name: 'Conversation' });
  await conversation.getByText('plan.txt has 6 bytes.').waitFor();
  const { items } = await client.threads.list({ query: { limit: 10 } });
  const begun = items.find(({ id }) => page.url().endsWith(id));
  assert.equal(begun?.agent, 'second');
  assert.equal(begun.directory, directory);
  const left = await readTable<{ key: string }>(page, 'drafts');
  assert.deepEqual(
    left.filter(({ key }) => key.startsWith('new-') || key === 'files-new'),
    [],
  );
});

/*
 * `npm run screenshots`: the pictures of the app in docs/pictures, taken from the app itself with a real gateway and an agent at work.
 * With `--all DIRECTORY` every screen in every look, into that directory.
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { beginThread, isApproval, isEnd, prompt, untilEvent } from '../support/conversations.ts';
import { openPhone, type PhoneOptions } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';
import { coderCommand } from './coder.ts';
import { pictureEveryScreen } from './every-screen.ts';

const folder = fileURLToPath(new URL('../../../../docs/pictures', import.meta.url));
/* Of WebP. Text stays sharp, and a picture stays small enough for a page with ten of them. */
const quality = 82;

interface Picture extends Pick<PhoneOptions, 'size' | 'scheme'> {
  readonly name: string;
  readonly path: string;
  readonly shows: RegExp;
}

const { all } = parseArgs({ options: { all: { type: 'string' } } }).values;
const browser = await openChromium();
try {
  await (all === undefined ? takeForDocs() : pictureEveryScreen(browser, all));
} finally {
  await browser.close();
}

async function takeForDocs(): Promise<void> {
  await using gateway = await openRealGateway({
    agents: (home) => ({ coder: { command: coderCommand(home), title: 'Coder' } }),
  });
  const made = await makeContent(gateway);
  const signedIn = await openPhone(browser, { gateway });
  mkdirSync(folder, { recursive: true });
  for (const picture of picturesOf(made)) await take({ gateway, as: signedIn }, picture);
}

async function take(
  rig: Pick<PhoneOptions, 'gateway' | 'as'>,
  { name, path, shows, ...look }: Picture,
): Promise<void> {
  await using phone = await openPhone(browser, { ...rig, at: path, ...look });
  const { page } = phone;
  await page.locator('main').getByText(shows).filter({ visible: true }).first().waitFor();
  // Fonts, and the last of what is still coming in.
  await page.evaluate(() => document.fonts.ready);
  await page.waitForLoadState('domcontentloaded');
  await settled(page);
  const session = await phone.context.newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
  const file = join(folder, `${name}.webp`);
  writeFileSync(file, Buffer.from(data, 'base64'));
  process.stdout.write(`${name}.webp  ${Math.round(statSync(file).size / 1_000)} kB\n`);
}

/* Nothing in the page has changed for a while. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        let timer = setTimeout(resolve, 800);
        new MutationObserver(() => {
          clearTimeout(timer);
          timer = setTimeout(resolve, 800);
        }).observe(document.body, { subtree: true, childList: true, characterData: true });
      }),
  );
}

interface Made {
  readonly done: string;
  readonly asking: string;
  readonly failed: string;
  readonly hostile: string;
}

async function makeContent(rig: RealGateway): Promise<Made> {
  const { client, directory } = rig;
  const command = [
    'sh',
    '-c',
    'for i in 1 2 3; do echo "GET /health 200 ${i} ms"; done; sleep 1000',
  ];
  await rig.clf('run', '--detach', '--name', 'dev-server', '-C', directory, '--', ...command);
  await rig.clf('run', '--detach', '--name', 'nightly-backup', '--', 'sh', '-c', 'exit 0');
  await rig.clf(
    'run',
    '--detach',
    '--name',
    'migrate',
    '--',
    'sh',
    '-c',
    'echo no such table; exit 1',
  );
  const failed = await said(
    'echo',
    'Summarise the open pull requests\nfail: the model answered with 529: overloaded',
  );
  const hostile = await said(
    'echo',
    'Read the ticket and repeat it\nThe report says: \u202Egnp.exe\u202C and <script>alert(1)</script>, then [a link](javascript:alert(1)).',
  );
  const done = await said('coder', 'The queue hangs after a failed job. Find out why and fix it.');
  const asking = await said('coder', 'The queue test fails on main, please fix and push');
  await prompt(client, asking, 'Push it to my branch');
  await untilEvent(client, asking, isApproval);
  return { done, asking, failed, hostile };

  async function said(agent: string, text: string): Promise<string> {
    const id = await beginThread(client, agent);
    await prompt(client, id, text);
    await untilEvent(client, id, isEnd);
    return id;
  }
}

function picturesOf({ done, asking, failed, hostile }: Made): readonly Picture[] {
  const thread = (id: string): string => `/threads/${id}`;
  return [
    { name: 'app-inbox', path: '/inbox', shows: /git push/ },
    { name: 'app-inbox-dark', path: '/inbox', shows: /git push/, scheme: 'dark' },
    { name: 'app-thread', path: thread(done), shows: /212/ },
    { name: 'app-thread-dark', path: thread(done), shows: /212/, scheme: 'dark' },
    { name: 'app-asks', path: thread(asking), shows: /git push/ },
    { name: 'app-asks-small', path: thread(asking), shows: /git push/, size: 'small' },
    {
      name: 'app-failed',
      path: thread(failed),
      shows: /overloaded/,
      size: 'small',
      scheme: 'dark',
    },
    { name: 'app-hostile', path: thread(hostile), shows: /script/ },
    { name: 'app-threads', path: '/threads', shows: /queue/ },
    { name: 'app-new', path: '/new', shows: /New thread/ },
    { name: 'app-runs', path: '/runs', shows: /dev-server/, scheme: 'dark' },
    { name: 'app-more', path: '/more', shows: /More/ },
    { name: 'app-desk', path: thread(done), shows: /212/, size: 'desk' },
    { name: 'app-desk-dark', path: thread(done), shows: /212/, size: 'desk', scheme: 'dark' },
  ];
}

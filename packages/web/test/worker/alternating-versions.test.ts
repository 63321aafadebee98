/*
 * Two versions of the gateway in turn, under open tabs and an installed worker: no page is ever blank, a file that is missing is a 404, each
 * build is offered once, and what was typed or waits to be sent stays.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import {
  beginThread,
  counting,
  eventsOf,
  isEnd,
  saidIn,
  untilEvent,
} from '../support/conversations.ts';
import { readTable } from '../support/kept-on-device.ts';
import { openPhone, type Phone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';
import { batchesOf, rounds } from '../support/rounds.ts';
import { makeSecondVersion, type SecondVersion } from '../support/second-version.ts';

let browser: Browser;
let gateway: RealGateway;
let second: SecondVersion;

before(async () => {
  second = makeSecondVersion();
  gateway = await openRealGateway();
  browser = await openChromium();
});
after(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
  second?.[Symbol.dispose]();
});

const draft = 'Not sent yet';
const missing = '/app/index-00000000.js';

type Version = 'first' | 'second';

const count = rounds(3, 50);
/* On a machine that has much else to do a round takes half a minute. */
const roundsPerTest = 10;

for (const { from, to, name } of batchesOf(count, roundsPerTest)) {
  test(`versions take turns under two tabs: no blank page, 404 for what is missing, each build offered once, drafts and messages stay (${name})`, async () => {
    if (from > 0) {
      await gateway.kill();
      await gateway.start();
    }
    const threadId = await beginThread(gateway.client);
    await using phone = await openPhone(browser, {
      gateway,
      size: 'desk',
      at: `/threads/${threadId}`,
      // What a kill cuts off is told by the browser.
      expects: [/net::ERR_/, /Failed to load resource/],
    });
    const tab = await phone.openTab('/runs');
    await untilControlled(phone.page);
    const said: string[] = [];
    let shown: Version = 'first';
    for (let round = 0; round < to - from; round += 1) {
      said.push(`Said before version ${round + 1}.`);
      shown = await alternate({ phone, tab, threadId, said }, { round, shown });
    }
    const events = await eventsOf(gateway.client, threadId);
    assert.deepEqual(saidIn(events), said, 'each once, in order');
  });
}

interface Tabs {
  readonly phone: Phone;
  readonly tab: Page;
  readonly threadId: string;
  readonly said: readonly string[];
}

/* One version ends and the other one starts; the version that both tabs have then. */
async function alternate(
  { phone, tab, threadId, said }: Tabs,
  { round, shown }: { readonly round: number; readonly shown: Version },
): Promise<Version> {
  const { page } = phone;
  const version: Version = round % 2 === 0 ? 'second' : 'first';
  await gateway.kill();
  await write(page, said.at(-1) ?? '');
  // Without a gateway both come from the worker, with what was kept.
  await Promise.all([loadAgain(page), loadAgain(tab)]);
  await gateway.start(version === 'second' ? second.launcher : undefined);
  await comeBack(phone);
  await untilEvent(gateway.client, threadId, counting(said.length, isEnd));
  await checkFiles(page, version);
  await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()));
  const taken = await takeTurn({ page, tab, version, shown }, round);
  assert.equal(await page.getByLabel('Message').inputValue(), draft);
  return taken;
}

/* As a device that finds its network again, so that nothing waits for its next try. */
async function comeBack({ context }: Phone): Promise<void> {
  await context.setOffline(true);
  await context.setOffline(false);
}

interface Turn {
  readonly page: Page;
  readonly tab: Page;
  /* Of the gateway. */
  readonly version: Version;
  /* Of both tabs. */
  readonly shown: Version;
}

/* What people do about a new version, in turn; the version that both tabs have then. */
async function takeTurn({ page, tab, version, shown }: Turn, round: number): Promise<Version> {
  if (version === shown) {
    // The other one was never taken, and the gateway is what it was: there is nothing to offer.
    await Promise.all(
      [offerOf(page), offerOf(tab)].map((offer) => offer.waitFor({ state: 'detached' })),
    );
    return shown;
  }
  await Promise.all([offerOf(page).waitFor(), offerOf(tab).waitFor()]);
  if (round % 4 === 2) return shown;
  if (round % 4 === 1) {
    await tab.getByRole('button', { name: 'Not now' }).click();
    await tab.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()));
    assert.equal(await offerOf(tab).count(), 0, 'a build is offered once');
  }
  await takeOver(page, version);
  // The other tab goes on with its own build: a screen that it has not loaded yet is there, too.
  const screen = round % 2 === 0 ? 'Audit' : 'Runs';
  await tab.evaluate((to) => history.pushState(null, '', to), `/${screen.toLowerCase()}`);
  await tab.getByRole('heading', { name: screen, exact: true }).first().waitFor();
  assert.equal(await entryOf(tab), second.entries[shown]);
  await loadAgain(tab);
  assert.equal(await entryOf(tab), second.entries[version]);
  assert.equal((await offerOf(tab).count()) + (await offerOf(page).count()), 0);
  return version;
}

function offerOf(page: Page): ReturnType<Page['getByText']> {
  return page.getByText('A new version is here');
}

async function takeOver(page: Page, version: Version): Promise<void> {
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.waitForFunction(
    (entry) => document.querySelector(`script[src="${entry}"]`) !== null,
    second.entries[version],
  );
  await isFilled(page);
}

async function loadAgain(page: Page): Promise<void> {
  await page.reload();
  await isFilled(page);
}

/* A page that is not blank has a heading, and the thread its draft. */
async function isFilled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  if (!page.url().includes('/threads/')) return;
  await page.waitForFunction((text) => document.querySelector('textarea')?.value === text, draft);
}

/* Until the page is under a worker that has all files of its build. */
async function untilControlled(page: Page): Promise<void> {
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}

const entryOf = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const script = document.querySelector<HTMLScriptElement>('script[type=module]');
    return new URL(script?.src ?? '').pathname;
  });

/* A message that waits, and a draft after it. */
async function write(page: Page, text: string): Promise<void> {
  const box = page.getByLabel('Message');
  await box.fill(text);
  await box.press('Enter');
  await page.locator('.waiting-bar').getByText(text).waitFor();
  await box.fill(draft);
  const texts = async (): Promise<readonly string[]> =>
    (await readTable<{ readonly text: string }>(page, 'drafts')).map((row) => row.text);
  while (!(await texts()).includes(draft));
}

/* Through the worker, and past it: the files of the other version are still there, and a missing one is never the page. */
async function checkFiles(page: Page, version: Version): Promise<void> {
  assert.equal(await page.evaluate(async (path) => (await fetch(path)).status, missing), 404);
  assert.equal((await fetch(new URL(missing, gateway.url))).status, 404);
  for (const path of [second.entries.first, second.entries[version]]) {
    const { status, headers } = await fetch(new URL(path, gateway.url));
    assert.equal(status, 200, path);
    assert.match(headers.get('content-type') ?? '', /javascript/);
  }
}

/*
 * The app's worker in a real browser: without a network, over an upgrade, and with a gateway that has lost its files.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { beginThread } from '../support/conversations.ts';
import { routeNewerGateway } from '../support/newer-gateway.ts';
import { openPhone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';
import { openTwoBuilds, type TwoBuilds } from '../support/two-builds.ts';

let browser: Browser;
let gateway: RealGateway;
let builds: TwoBuilds;

before(async () => {
  gateway = await openRealGateway();
  builds = await openTwoBuilds(gateway.client.connection.baseUrl);
  gateway.proxy.target(builds.url);
  browser = await openChromium();
});
after(async () => {
  await browser?.close();
  await builds?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

const away = [/net::ERR_/, /Failed to load resource/];

/* Until the page is under a worker that has all files of its build. */
async function untilControlled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (navigator.serviceWorker.controller !== null) return;
    await new Promise((resolve) => {
      navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true });
    });
  });
}

const entryOf = (page: Page): Promise<string> =>
  page.evaluate(() => document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? '');

const cachesOf = (page: Page): Promise<string[]> => page.evaluate(() => caches.keys());

test('without a network the app opens as it was, also at another address, and one line says so', async () => {
  builds.serve('first');
  await using phone = await openPhone(browser, { gateway, expects: away });
  const { page, context } = phone;
  await page.getByText('Nothing needs you').waitFor();
  await untilControlled(page);
  await context.setOffline(true);
  await page.locator('.strip').getByText('This device is offline').waitFor();
  // After a load Chromium's emulation no longer says that it is offline: then the gateway does not answer.
  await page.reload();
  await page.getByText(/^Nothing needed you at \d/).waitFor();
  await page.getByText('As of').waitFor();
  await page.goto(`${gateway.url}/threads`);
  await page.getByRole('heading', { name: 'Threads' }).waitFor();
  assert.equal(await page.getByText('Login link').count(), 0);
  const said = page.locator('.strip').getByText('The gateway does not answer');
  await said.waitFor();
  assert.equal(await page.locator('.strip').count(), 1);
  await context.setOffline(false);
  await said.waitFor({ state: 'detached' });
  await page.getByText('The gateway does not answer').waitFor({ state: 'detached' });
});

async function untilDraft(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('textarea')?.value === 'Not sent yet');
}

test('a newer build is offered once and taken over on request; no page is blank on the way, and drafts stay', async () => {
  builds.serve('first');
  const at = `/threads/${await beginThread(gateway.client)}`;
  await using phone = await openPhone(browser, { gateway, at, expects: away });
  const { page } = phone;
  await untilControlled(page);
  await page.getByLabel('Message').fill('Not sent yet');
  const first = await entryOf(page);
  builds.serve('second', 'gone');
  await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
  const offer = page.getByText('A new version is here');
  await offer.waitFor();
  // A chunk of the build that the gateway no longer has.
  await page.reload();
  await untilDraft(page);
  assert.equal(await entryOf(page), first);
  await offer.waitFor();
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.waitForFunction(
    (old) => document.querySelector<HTMLScriptElement>('script[type=module]')?.src !== old,
    first,
  );
  await untilDraft(page);
  assert.equal(await offer.count(), 0);
  // The build that no tab is of is let go.
  await page.waitForFunction(async () => (await caches.keys()).length === 1);
});

test('an app that is too old for its gateway waits for the newer build to be here, and is that one when it is loaded anew', async () => {
  builds.serve('first');
  await using phone = await openPhone(browser, { gateway, expects: away });
  const { page, context } = phone;
  await untilControlled(page);
  const first = await entryOf(page);
  await routeNewerGateway(context);
  await page.reload();
  await page.getByText('This app is too old for the gateway').waitFor();
  assert.equal(await entryOf(page), first);
  builds.serve('second');
  const install = builds.holdInstall();
  const loaded = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Reload' }).click();
  await install.asked;
  await page.getByRole('button', { name: 'Loading …' }).waitFor();
  install.release();
  await loaded;
  assert.match(await entryOf(page), /second--/);
  await context.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a build that waits keeps its files when a tab opens under the one before, and then works without a network', async () => {
  builds.serve('first');
  await using phone = await openPhone(browser, { gateway, at: '/inbox', expects: away });
  const { page, context } = phone;
  await untilControlled(page);
  builds.serve('second');
  await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
  await page.getByText('A new version is here').waitFor();
  const tab = await phone.openTab('/runs');
  await tab.getByText('A new version is here').waitFor();
  await tab.close();
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.waitForFunction(() => document.querySelector('script[src*="second--"]') !== null);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await context.setOffline(true);
  await page.reload();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
});

test('a build that another tab still has stays in its cache, and an update that was put off is not offered again', async () => {
  builds.serve('first');
  await using phone = await openPhone(browser, { gateway, expects: away });
  const { page } = phone;
  await untilControlled(page);
  const tab = await phone.openTab('/runs');
  await tab.getByRole('heading', { name: 'Runs' }).waitFor();
  builds.serve('second');
  await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
  await tab.getByText('A new version is here').waitFor();
  await tab.getByRole('button', { name: 'Not now' }).click();
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.waitForFunction(() => document.querySelector('script[src*="second--"]') !== null);
  assert.equal((await cachesOf(page)).length, 2);
  assert.equal(await tab.getByText('A new version is here').count(), 0);
  await tab.close();
  await page.reload();
  await page.waitForFunction(async () => (await caches.keys()).length === 1);
});

test('a file that is missing is a 404 through the worker, and what the API says is the gateway’s own word', async () => {
  builds.serve('first');
  await using phone = await openPhone(browser, { gateway, expects: [...away, /404/] });
  const { page } = phone;
  await untilControlled(page);
  const found = await page.evaluate(async () => {
    const missing = await fetch('/app/index-00000000.js');
    const health = await fetch('/api/v1/auth/me');
    return { missing: missing.status, health: health.headers.get('clawdfather-gateway') };
  });
  assert.equal(found.missing, 404);
  assert.match(found.health ?? '', /^instance=/);
  const kept = await page.evaluate(async () => {
    const names = await caches.keys();
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return requests.flat().map(({ url }) => new URL(url).pathname);
  });
  assert.ok(kept.length > 3);
  assert.ok(
    kept.every((path) => !path.startsWith('/api')),
    'nothing of the account is in a cache',
  );
});

/*
 * Who comes back to a list finds it as it was left: the same row at the same place, the same search, and as much of it opened. Who opens it
 * afresh finds it from its beginning.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
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

test('back in the list of threads the same row is at the same place under the same search, whatever came meanwhile', async () => {
  const { client } = gateway;
  const create = (title: string) => client.threads.create({ body: { title } });
  for (let n = 0; n < 60; n += 1) await create(`Wanted ${n}`);
  await create('Another');
  await using phone = await openPhone(browser, { gateway, at: '/threads' });
  const { page } = phone;
  const search = page.getByLabel('Search threads');
  await search.fill('wanted');
  await page.getByText('Another', { exact: true }).waitFor({ state: 'detached' });
  const wanted = page.getByRole('link', { name: 'Wanted 20' });
  await page.locator('.scroller').evaluate(
    (list, row) => {
      list.scrollTop += (row?.getBoundingClientRect().top ?? 0) - 300;
    },
    await wanted.elementHandle(),
  );
  const placePx = await topOf(page, 'Wanted 20');
  assert.ok(placePx > 250 && placePx < 350, `it is at ${placePx} px`);

  const openIt = async (): Promise<void> => {
    await wanted.click();
    await page.getByRole('heading', { level: 1, name: 'Wanted 20' }).waitFor();
  };
  await openIt();
  await page.goBack();
  await untilAt(page, 'Wanted 20', placePx);
  assert.equal(await search.inputValue(), 'wanted');

  await openIt();
  await create('Wanted meanwhile');
  await page.getByRole('link', { name: 'Back to Threads' }).click();
  await page.getByText('Wanted meanwhile').waitFor({ state: 'attached' });
  await untilAt(page, 'Wanted 20', placePx);
  assert.equal(await search.inputValue(), 'wanted');

  await openIt();
  await page.getByRole('navigation').getByRole('link', { name: 'Threads' }).click();
  await page.getByText('Another', { exact: true }).waitFor();
  assert.equal(await search.inputValue(), '');
  assert.equal(await page.locator('.scroller').evaluate((list) => list.scrollTop), 0);
});

test('as much of a list as was opened is there again, and the filters of other lists are, too', async () => {
  const { client } = gateway;
  for (let n = 0; n < 33; n += 1) {
    await client.tokens.create({ body: { label: `token ${n}`, scopes: ['read'] } });
  }
  await using phone = await openPhone(browser, { gateway, at: '/tokens' });
  const { page } = phone;
  const rows = page.locator('main .rows > li');
  await page.getByRole('button', { name: /Show more/ }).click();
  await page.getByText('token 0', { exact: true }).waitFor();
  assert.equal(await rows.count(), 33);
  await phone.go('/audit');
  await page.getByLabel('What was done').selectOption('token.create');
  const entries = page.locator('.entry', { hasText: 'Token made' });
  await entries.nth(32).waitFor();
  await page.locator('.entry', { hasText: 'Signed in' }).waitFor({ state: 'detached' });
  await page.goBack();
  await rows.nth(32).waitFor();
  await page.goForward();
  await entries.nth(32).waitFor();
  assert.equal(await page.locator('.entry', { hasText: 'Signed in' }).count(), 0);
  assert.equal(await page.getByLabel('What was done').inputValue(), 'token.create');
});

test('more of a list is off while the gateway is away, and says why; what fails is said where it was asked for', async () => {
  const { client } = gateway;
  for (let n = 0; n < 51; n += 1) {
    await client.tokens.create({ body: { label: `more ${n}`, scopes: ['read'] } });
  }
  const expects = [/net::ERR_/];
  // What a page asks for under a worker, no test can refuse.
  const context = { serviceWorkers: 'block' } as const;
  await using phone = await openPhone(browser, { gateway, at: '/tokens', expects, context });
  const { page } = phone;
  const main = page.locator('main');
  const [more, older] = ['Show more', 'Show older'].map((name) =>
    main.getByRole('button', { name }),
  );
  assert.ok(more !== undefined && older !== undefined);
  const why = main.locator('.act-note', { hasText: 'You can do this when it is back.' });
  for (const [path, list, button] of [
    ['/tokens', /\/auth\/tokens/, more],
    ['/audit', /\/api\/v1\/audit/, older],
  ] as const) {
    await phone.go(path);
    await button.waitFor();
    await page.route(list, (route) => route.abort());
    await button.click();
    await main.locator('.problem', { hasText: 'The gateway does not answer.' }).waitFor();
    await page.unroute(list);
    await phone.context.setOffline(true);
    await why.waitFor();
    assert.ok(await button.isDisabled());
    await phone.context.setOffline(false);
    await why.waitFor({ state: 'detached' });
  }
});

function topOf(page: Page, name: string): Promise<number> {
  return page
    .getByRole('link', { name })
    .evaluate((row) => Math.round(row.getBoundingClientRect().top));
}

async function untilAt(page: Page, name: string, wantedPx: number): Promise<void> {
  await page.waitForFunction(
    ([text, px]) =>
      [...document.querySelectorAll('a.row')].some(
        (row) =>
          (row.textContent ?? '').includes(text) &&
          Math.abs(row.getBoundingClientRect().top - px) <= 2,
      ),
    [name, wantedPx] as const,
  );
}

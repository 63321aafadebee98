/*
 * Bad days in a real browser: no room, no cookies, a clock that is wrong, a gateway of another version, a device that was revoked, two tabs, a
 * socket that only looks open. Each has a state that says what is wrong, and nothing is lost.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page, Request } from 'playwright-core';
import { openAskingAgent } from '../support/asking-agent.ts';
import { openChromium } from '../support/chromium.ts';
import { isApproval, isEnd, talk, untilEvent } from '../support/conversations.ts';
import { routeNewerGateway } from '../support/newer-gateway.ts';
import { openPageTime } from '../support/page-time.ts';
import { openPhone, type Phone, type PhoneOptions } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';
import { watchPage } from '../support/witness.ts';

let browser: Browser;
let gateway: RealGateway;
let owner: Phone | undefined;

/* With one sign-in for all of them: a gateway takes a few in a minute. */
async function openSignedIn(options: Omit<PhoneOptions, 'gateway'>): Promise<Phone> {
  owner ??= await openPhone(browser, { gateway, expects: away });
  return openPhone(browser, { ...options, gateway, as: owner });
}

before(async () => {
  gateway = await openRealGateway();
  browser = await openChromium();
});
after(async () => {
  await owner?.[Symbol.asyncDispose]();
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

const hourMs = 60 * 60_000;
const away = [/net::ERR_/, /Failed to load resource/];

/* Everything that this browser keeps for the gateway, but the app's own files and its worker. */
async function keptIn(page: Page): Promise<{ rows: number; local: number; cookies: string }> {
  return page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('clawdfather');
      opening.addEventListener('success', () => resolve(opening.result));
      opening.addEventListener('error', () => reject(new Error('not opened')));
    });
    const names = [...database.objectStoreNames];
    const counts = await Promise.all(
      names.map(
        (name) =>
          new Promise<number>((resolve) => {
            const counting = database.transaction(name).objectStore(name).count();
            counting.addEventListener('success', () => resolve(counting.result));
          }),
      ),
    );
    database.close();
    const rows = counts.reduce((sum, count) => sum + count, 0);
    return { rows, local: localStorage.length, cookies: document.cookie };
  });
}

test('signing out empties this device, and the other tab is out, too', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/more', expects: away });
  const { page } = phone;
  const tab = await phone.openTab('/threads');
  await tab.getByRole('heading', { name: 'Threads' }).waitFor();
  await page.evaluate(() => localStorage.setItem('clf-preferences', '{"scheme":"dark"}'));
  await page.reload();
  assert.ok((await keptIn(page)).rows > 0);
  await page.getByRole('button', { name: 'Sign out here' }).click();
  await page.getByText('You are signed out').waitFor();
  await page.waitForFunction(() => localStorage.length === 0);
  // It empties the device once more, when it hears of it, and is the first to know that it has.
  await tab.getByLabel('Login link or code').waitFor();
  await tab.waitForFunction(() => localStorage.length === 0);
  assert.deepEqual(await keptIn(tab), { rows: 0, local: 0, cookies: '' });
});

test('a device that was revoked locks what it has, wipes it at its next contact, and says so', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/threads', expects: away });
  const { page, context } = phone;
  await page.getByRole('heading', { name: 'Threads' }).waitFor();
  const { items } = await gateway.client.auth.devices({ query: { limit: 100 } });
  for (const { id, is_current: isCurrent } of items) {
    if (!isCurrent) await gateway.client.auth.revokeDevice({ params: { id } });
  }
  await page.getByText('This device was signed out').waitFor();
  // The screen is locked first, and then what was kept is removed.
  await page.waitForFunction(() => localStorage.getItem('clf-wiping') === null);
  assert.equal((await keptIn(page)).rows, 0);
  assert.equal(await page.getByRole('heading', { name: 'Threads' }).count(), 0);
  await context.clearCookies();
});

/* Of what happens in the account. */
function isStream(request: Request): boolean {
  const isOfAccount = request.url().includes('/api/v1/events');
  return isOfAccount && request.headers()['accept'] === 'text/event-stream';
}

test('connections that are cut come back without a word', async () => {
  await using phone = await openSignedIn({ at: '/more', expects: away });
  const { page } = phone;
  const opened = page.waitForRequest(isStream);
  await page.goto(`${gateway.url}/threads`);
  await page.getByRole('heading', { name: 'Threads' }).waitFor();
  await (await opened).response();
  const witness = await watchPage(page);
  const time = await openPageTime(page);
  await time.pause();
  const lost = page.waitForEvent('requestfailed', isStream);
  gateway.proxy.reset();
  await lost;
  const title = 'After a short drop';
  await gateway.client.threads.create({ body: { title } });
  const isBack = async (): Promise<boolean> =>
    time.isFollowing && (await page.getByText(title).count()) > 0;
  // Of the page's own time: after four seconds it speaks of it.
  await time.passUntil(isBack, 3_900);
  await time.resume();
  await page.getByText(title).waitFor();
  assert.deepEqual(await witness.strips(), []);
  assert.equal(await witness.sawSignIn(), false);
});

test('a socket that only looks open is replaced when the page is seen again', async () => {
  await using phone = await openPhone(browser, { gateway, isSignedIn: false, expects: away });
  const { page } = phone;
  await page.clock.install();
  const { hash } = new URL(await gateway.loginLink());
  const opened = page.waitForRequest(isStream);
  await page.goto(`${gateway.url}/threads${hash}`);
  await (await opened).response();
  const setVisible = (visible: boolean): Promise<void> =>
    page.evaluate((isVisible) => {
      Object.defineProperty(document, 'visibilityState', {
        configurable: true,
        value: isVisible ? 'visible' : 'hidden',
      });
      document.dispatchEvent(new Event('visibilitychange'));
    }, visible);
  await setVisible(false);
  // What there is, is dead from now on and does not say so.
  gateway.proxy.freeze(true);
  const key = { idempotencyKey: 'away' };
  await gateway.client.threads.create({ body: { title: 'While it was away' } }, key);
  // Longer than a glance, and shorter than the silence that is noticed without this.
  await page.clock.fastForward(15_000);
  const replaced = page.waitForRequest(isStream);
  await setVisible(true);
  await replaced;
  gateway.proxy.freeze(false);
  await page.getByText('While it was away').waitFor();
});

for (const [name, offMs] of [
  ['slow', -hourMs],
  ['fast', hourMs],
] as const) {
  test(`with a clock that is an hour ${name}, what waits and how old it is are as the gateway has it`, async () => {
    const agent = await openAskingAgent(gateway);
    const { client } = gateway;
    const command = `touch by-a-${name}-clock`;
    const id = await agent.ask(command);
    const asking = await talk(client, `ask: rm -r ${name}`, isApproval);
    const ask = (await client.asks.list()).items.find(({ thread_id: of }) => of === asking);
    await using phone = await openSignedIn({ at: '/more' });
    const { page } = phone;
    await page.addInitScript(shiftClock, offMs);
    await page.goto(`${gateway.url}/inbox`);
    const row = page.getByRole('link', { name: new RegExp(command) });
    // Of the whole time that it waits nothing to speak of has passed.
    await row.getByText(/^now · /).waitFor();
    await page
      .locator(`a[href="/asks/${ask?.id}"]`)
      .getByText(/^now · /)
      .waitFor();
    const { createdAt, expiresAt } = await client.approvals.get({ params: { id } });
    const minutes = Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / 60_000);
    const left = Number(/(\d+) min left/.exec((await row.textContent()) ?? '')?.[1]);
    assert.ok(left <= minutes && left > minutes - 10, `${left} of ${minutes} minutes are left`);
    assert.equal(await page.locator('.strip').count(), 0);

    await phone.go(`/approvals/${id}`);
    await page.getByText(/ left$/).waitFor();
    await page.locator('.decision-bar button[aria-disabled="false"]').last().waitFor();
    const asked = page.locator('.facts-list > div', { hasText: 'Asked' }).last();
    assert.match((await asked.textContent()) ?? '', /^Asked(?:under )?[\d.]+ (?:s|min) ago$/);
    await phone.go(`/asks/${ask?.id}`);
    await page.locator('.decision-head .quiet').getByText('now').waitFor();
    await client.approvals.decide({ params: { id }, body: { decision: 'deny' } });
    const { turns } = await client.threads.get({ params: { id: asking } });
    await client.turns.cancel({ params: { id: turns[0]?.id ?? '' } });
    await untilEvent(client, asking, isEnd);
  });

  test(`a message that is written while the clock is an hour ${name} is sent, though the clock was put right meanwhile`, async (t) => {
    t.after(() => gateway.proxy.target(gateway.client.connection.baseUrl));
    const { thread } = await gateway.client.threads.create({ body: {} });
    await using phone = await openSignedIn({ at: '/more', expects: away });
    const { page, context } = phone;
    await page.addInitScript(shiftClock, offMs);
    await page.goto(`${gateway.url}/threads/${thread.id}`);
    const box = page.getByLabel('Message');
    await box.waitFor();
    // A stream that is just being opened would get through, were it only the device that says so.
    gateway.proxy.target('http://127.0.0.1:1');
    gateway.proxy.reset();
    await context.setOffline(true);
    await page.getByText('This device is offline').waitFor();
    const text = `Written by a ${name} clock.`;
    await box.fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
    const waiting = page.locator('.waiting-bar');
    await waiting.getByText(text).waitFor();
    await page.evaluate(() => (globalThis as unknown as Clocked).setClock(0));
    gateway.proxy.target(gateway.client.connection.baseUrl);
    await context.setOffline(false);
    await page.locator('.markdown').getByText(text).waitFor();
    await waiting.waitFor({ state: 'detached' });
  });
}

interface Clocked {
  setClock: (offMs: number) => void;
}

/* In the page, before its scripts. */
function shiftClock(offMs: number): void {
  const { now } = Date;
  let off = offMs;
  Date.now = () => now() + off;
  (globalThis as unknown as Clocked).setClock = (ms) => void (off = ms);
}

test('a browser that keeps no data works, and says once that it does not', async () => {
  await using phone = await openPhone(browser, { gateway, isSignedIn: false });
  const { page } = phone;
  await page.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException('not here', 'SecurityError');
    };
  });
  const { hash } = new URL(await gateway.loginLink());
  await page.goto(`${gateway.url}/inbox${hash}`);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  const note = page.getByText('This browser keeps nothing');
  await note.waitFor();
  await page.getByRole('button', { name: 'Not now' }).click();
  await note.waitFor({ state: 'detached' });
  await phone.go('/threads');
  await page.getByRole('heading', { name: 'Threads' }).waitFor();
  assert.equal(await note.count(), 0);
});

test('a gateway that this app is too old for says so, and offers to reload', async () => {
  await using phone = await openPhone(browser, { gateway, isSignedIn: false });
  const { page, context } = phone;
  await routeNewerGateway(context);
  const { hash } = new URL(await gateway.loginLink());
  await page.goto(`${gateway.url}/inbox${hash}`);
  await page.getByText('This app is too old for the gateway, which has version 99.0.0').waitFor();
  await page.getByRole('button', { name: 'Reload' }).waitFor();
  await context.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a browser without cookies is told so before its login link is used up', async () => {
  const { hash } = new URL(await gateway.loginLink());
  {
    await using phone = await openPhone(browser, { gateway, isSignedIn: false });
    const { page } = phone;
    await page.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, 'cookieEnabled', { get: () => false });
    });
    await page.goto(`${gateway.url}/inbox${hash}`);
    await page.getByText('Your browser refuses cookies').waitFor();
  }
  await using phone = await openPhone(browser, { gateway, isSignedIn: false });
  await phone.page.goto(`${gateway.url}/inbox${hash}`);
  await phone.page.getByRole('heading', { name: 'Inbox' }).waitFor();
});

test('a second device gets in by a code that the first one confirms; another one waits for nothing when it is refused', async () => {
  await using phone = await openPhone(browser, { gateway, isSignedIn: false, expects: away });
  const { page } = phone;
  await page.goto(`${gateway.url}/inbox`);
  const enter = async (code: string): Promise<void> => {
    await page.getByLabel('Login link or code').fill(code);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Confirm on your other device').waitFor();
  };
  const decide = async (id: string, decision: 'confirm' | 'refuse'): Promise<void> => {
    await gateway.client.loginCodes.decide({ params: { id }, body: { decision } });
  };
  // A wrong one stays in the field, and the next letter replaces it.
  const field = page.getByLabel('Login link or code');
  await field.fill('7K2M-94QX');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('This code is wrong').waitFor();
  assert.equal(await field.inputValue(), '7K2M-94QX');
  await page.waitForFunction(() => {
    const input = document.activeElement as HTMLInputElement | null;
    return input?.name === 'link' && input.selectionStart === 0 && input.selectionEnd === 9;
  });
  const first = await gateway.client.loginCodes.create();
  await enter(first.code);
  await decide(first.login_code.id, 'refuse');
  await page.getByText('The other device refused').waitFor();
  const second = await gateway.client.loginCodes.create();
  await enter(second.code);
  await decide(second.login_code.id, 'confirm');
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
});

test('a screen whose file cannot be loaded says so, and the others go on', async () => {
  // Without the worker, which has every file of its build.
  const context = { serviceWorkers: 'block' } as const;
  const expects = [...away, /dynamically imported module/];
  await using phone = await openSignedIn({ at: '/inbox', context, expects });
  const { page } = phone;
  await phone.context.route('**/app/runs-*.js', (route) => route.abort());
  const places = page.getByRole('navigation', { name: 'Places' });
  await places.getByRole('link', { name: 'Runs' }).click();
  await page.getByText('This screen could not be shown').waitFor();
  await places.getByRole('link', { name: 'Inbox' }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await phone.context.unrouteAll();
  await places.getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { name: 'Runs' }).waitFor();
});

test('a link of another device is used after a tap, says whose account it is, and changes nothing where somebody is in', async () => {
  const stateOf = async (id: string): Promise<string> =>
    (await gateway.client.loginCodes.get({ params: { id } })).login_code.state;
  const first = await gateway.client.loginCodes.create();
  {
    await using phone = await openSignedIn({});
    await phone.page.goto(first.link);
    await phone.page.getByRole('heading', { name: 'Inbox' }).waitFor();
    assert.equal(await stateOf(first.login_code.id), 'open');
  }
  await using phone = await openPhone(browser, { gateway, isSignedIn: false, expects: away });
  const { page } = phone;
  await page.goto(first.link);
  const ask = page.getByRole('button', { name: 'Ask to be let in' });
  await ask.waitFor();
  assert.equal(new URL(page.url()).hash, '');
  assert.equal(await stateOf(first.login_code.id), 'open', 'nothing is claimed before the tap');
  await ask.click();
  await page.getByText('You will be signed in as “Owner”').waitFor();
  const { id } = first.login_code;
  await gateway.client.loginCodes.decide({ params: { id }, body: { decision: 'confirm' } });
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
});

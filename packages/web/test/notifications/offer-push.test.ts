/*
 * A device that is new is asked once whether it may notify, with the reason and in a tap, and what it is called.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openAskingAgent } from '../support/asking-agent.ts';
import { openChromium } from '../support/chromium.ts';
import { openPhone, type Phone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';
import { openPushRig } from './push-rig.ts';

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

const offerOn = (page: Page) => page.getByRole('region', { name: 'Notifications' });

/* A browser that says so of what the person has answered it. */
async function openWith(permission: NotificationPermission): Promise<Phone> {
  const phone = await openPhone(browser, { gateway, isSignedIn: false });
  await phone.page.addInitScript((said) => {
    Object.defineProperty(Notification, 'permission', { get: () => said });
  }, permission);
  const { hash } = new URL(await gateway.loginLink());
  await phone.page.goto(new URL(`/inbox${hash}`, gateway.url).href);
  return phone;
}

test('after sign-in one tap turns notifications on, and the device gets its name there', async () => {
  await using rig = await openPushRig();
  const page = await rig.openApp('/inbox');
  const offer = offerOn(page);
  await offer.getByText('when an agent waits for you or is done').waitFor();
  assert.equal(rig.subscription(), null, 'nothing is turned on unasked');
  const renamed: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') renamed.push(request.postData() ?? '');
  });
  const name = offer.getByLabel('What you call this device');
  await name.selectText();
  await name.pressSequentially('Pocket');
  await offer.getByRole('button', { name: 'Turn on notifications' }).click();
  await offer.getByText('Notifications are on').waitFor();
  await offer.getByText('Saved: Pocket').waitFor();
  assert.deepEqual(renamed, ['{"device":"Pocket"}'], 'when it was typed, not while');
  assert.ok(rig.subscription() !== null);
  const { items } = await rig.gateway.client.auth.devices();
  assert.ok(items.some(({ device }) => device === 'Pocket'));
  await page.reload();
  await page.getByText('Nothing needs you').waitFor();
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  assert.equal(await offer.count(), 0);
});

test('it stands after what waits for a decision, counts as nothing, and is not asked again after “Not now”', async () => {
  const agent = await openAskingAgent(gateway);
  const id = await agent.ask('touch something');
  await using phone = await openWith('default');
  const { page } = phone;
  const offer = offerOn(page);
  await offer.waitFor();
  const name = offer.getByLabel('What you call this device');
  assert.notEqual(await name.inputValue(), '', 'it has a name already');
  const isAfter = await offer.evaluate((card) => {
    const row = document.querySelector('a[href^="/approvals/"]');
    return row !== null && (row.compareDocumentPosition(card) & 4) !== 0;
  });
  assert.ok(isAfter);
  // What is typed stays when it moves, because nothing waits any more.
  await name.pressSequentially('My');
  await gateway.client.approvals.decide({ params: { id }, body: { decision: 'deny' } });
  await page.getByText('Nothing needs you').waitFor();
  assert.equal(await name.inputValue().then((text) => text.includes('My')), true);
  await offer.getByRole('button', { name: 'Not now' }).click();
  await offer.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByText('Nothing needs you').waitFor();
  assert.equal(await offer.count(), 0);
  const kept = await page.evaluate(() => localStorage.getItem('clf-preferences'));
  assert.match(kept ?? '', /wasOfferedPush/);
});

test('on an iPhone it says how the app is installed, and offers nothing that cannot be', async () => {
  await using first = await openPhone(browser, { gateway });
  const userAgent =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
  await using phone = await openPhone(browser, { gateway, as: first, context: { userAgent } });
  const offer = offerOn(phone.page);
  await offer.getByText('Tap Share, then Add to Home Screen').waitFor();
  assert.equal(await offer.getByRole('button', { name: /Turn on/ }).count(), 0);
  await offer.getByRole('button', { name: 'Not now' }).tap();
  await offer.waitFor({ state: 'detached' });
});

test('where notifications were refused before, nothing is asked', async () => {
  await using phone = await openWith('denied');
  const { page } = phone;
  await page.waitForFunction(() =>
    (localStorage.getItem('clf-preferences') ?? '').includes('wasOfferedPush'),
  );
  assert.equal(await offerOn(page).count(), 0);
});

/*
 * A gateway that is away: what was known stays, one place says that it is away, and what only the gateway can do is off and says why.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openAskingAgent } from '../support/asking-agent.ts';
import { openChromium } from '../support/chromium.ts';
import { talk } from '../support/conversations.ts';
import { openPhone, type Phone } from '../support/phone.ts';
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

/* On the screen, beside the buttons that are off. */
const why = 'You can do this as soon as the gateway answers.';

test('what needs the gateway is off while the gateway is away, says why, and is on again when it is back', async () => {
  const { client } = gateway;
  const threadId = await talk(client, 'Kept for later.');
  const run = await client.runs.create({ body: { command: 'sleep 600', yieldMs: 10 } });
  assert.ok(run.status === 'running', JSON.stringify(run));
  await client.tokens.create({ body: { label: 'robot', scopes: ['read'] } });
  const { key } = await client.keys.create({ body: { label: 'far' } });
  const address = { label: 'far', host: '127.0.0.1', port: 1, username: 'nobody' };
  const { connection } = await client.connections.create({
    body: { ...address, keypair_id: key.id },
  });
  const places = {
    thread: `/threads/${threadId}`,
    run: `/runs/${run.runId}`,
    host: `/hosts/${connection.id}`,
  };
  await using phone = await openPhone(browser, { gateway, expects: [/net::ERR_/] });
  const { page } = phone;
  await look(phone, places.thread, 'Kept for later.');
  await look(phone, places.host, 'Test the connection');
  await look(phone, '/tokens', 'robot');
  await look(phone, '/more', 'Sign out here');
  await look(phone, places.run, 'About');
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));

  gateway.proxy.target('http://127.0.0.1:1');
  gateway.proxy.reset();
  await page.locator('.strip').getByText('The gateway does not answer').waitFor();
  await page.getByText(why).first().waitFor();
  assert.ok(await page.getByRole('button', { name: '^C: interrupt it' }).isDisabled());
  assert.equal(await page.getByText('The gateway does not answer').count(), 1);
  await page.getByRole('button', { name: 'About' }).click();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  assert.ok(await page.getByRole('button', { name: 'Ask it to end' }).isDisabled());
  await page.getByRole('dialog').getByText(why).waitFor();
  await page.getByRole('button', { name: 'Let it run' }).click();

  await look(phone, places.host, 'Test the connection');
  assert.ok(await page.getByRole('button', { name: 'Test the connection' }).isDisabled());
  await look(phone, '/more', 'Sign out here');
  await isOff(page, 'Sign out here');
  await look(phone, '/tokens', 'robot');
  await page
    .getByRole('button', { name: /Revoke/ })
    .first()
    .click();
  await isOff(page, 'Revoke it');
  await page.getByRole('button', { name: 'Keep it' }).click();

  // A thread that is kept says from when it is, and does not say again what the strip says.
  await look(phone, places.thread, 'Kept for later.');
  await page.getByText(/^As of \d/).waitFor();
  assert.equal(await page.getByText('The gateway does not answer').count(), 1);

  gateway.proxy.target(client.connection.baseUrl);
  // As when a network is back; a tap on "Retry now" may come after the app's own next try.
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await page.locator('.strip').waitFor({ state: 'detached' });
  await page.getByText(/^As of \d/).waitFor({ state: 'detached' });
  await look(phone, '/more', 'Sign out here');
  assert.ok(await page.getByRole('button', { name: 'Sign out here' }).isEnabled());
  assert.equal(await page.getByText(why).count(), 0);
});

test('without the gateway everything is found as it was known, and is counted as it was', async () => {
  await talk(gateway.client, 'Find me again.');
  await gateway.client.tokens.create({ body: { label: 'counted', scopes: ['read'] } });
  await using phone = await openPhone(browser, {
    gateway,
    at: '/more',
    size: 'desk',
    expects: [/net::ERR_/],
  });
  const { page } = phone;
  const count = page.getByRole('link', { name: 'Tokens' }).locator('.way-after');
  const found = page.getByRole('option', { name: 'Find me again.' });
  const find = async (): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find anything' }).fill('find me');
    await found.waitFor();
  };
  await count.getByText(/^[1-9]/).waitFor();
  const known = await count.textContent();
  /* The first one empties the field. */
  const close = async (): Promise<void> => {
    for (let presses = 0; presses < 2; presses += 1) await page.keyboard.press('Escape');
    await page.locator('dialog.palette').waitFor({ state: 'detached' });
  };
  await find();
  await close();
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  gateway.proxy.target('http://127.0.0.1:1');
  gateway.proxy.reset();
  await page.locator('.strip').getByText('The gateway does not answer').waitFor();
  // Twice: what failed the first time is not what is kept for the second.
  for (let round = 0; round < 2; round += 1) {
    const failed = page.waitForEvent('requestfailed', (request) =>
      request.url().includes('limit=100'),
    );
    await find();
    await failed;
    await page.evaluate(() => new Promise(requestAnimationFrame));
    assert.equal(await found.count(), 1);
    await close();
    await page.reload();
    await count.getByText(known ?? '').waitFor();
  }
  gateway.proxy.target(gateway.client.connection.baseUrl);
});

test('without the gateway the list of what was asked, and what a turn has changed, are as they were known', async () => {
  const agent = await openAskingAgent(gateway);
  const decided = await agent.ask('touch decided');
  const body = { decision: 'deny' } as const;
  await gateway.client.approvals.decide({ params: { id: decided }, body });
  const open = await agent.ask('touch still-open');
  const threadId = await talk(gateway.client, 'Nothing to change.');
  const { turns } = await gateway.client.threads.get({ params: { id: threadId } });
  const changes = `/threads/${threadId}/changes/${turns[0]?.id}`;
  await using phone = await openPhone(browser, { gateway, expects: [/net::ERR_/] });
  const { page } = phone;
  await look(phone, changes, 'No files changed in this turn');
  await look(phone, '/approvals', 'touch still-open');
  const denied = page.getByRole('link', { name: /touch decided/ }).getByText(/Denied by you, on “/);
  await denied.waitFor();
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  gateway.proxy.target('http://127.0.0.1:1');
  gateway.proxy.reset();
  await page.goto(`${gateway.url}/approvals`);
  await page.getByText('touch still-open').waitFor();
  await page.getByText('touch decided').waitFor();
  await denied.waitFor();
  await page.getByText(/^As of \d/).waitFor();
  await look(phone, changes, 'No files changed in this turn');
  // What is decided is decided about what the gateway says now: nothing of it is kept.
  await page.goto(`${gateway.url}/approvals/${open}`);
  await page.locator('main').getByRole('button', { name: 'Try again' }).waitFor();
  assert.equal(await page.locator('.decision-bar').count(), 0);
  gateway.proxy.target(gateway.client.connection.baseUrl);
});

async function look(phone: Phone, path: string, text: string): Promise<void> {
  await phone.go(path);
  await phone.page.getByText(text).last().waitFor();
}

async function isOff(page: Page, name: string): Promise<void> {
  await page.getByText(why).waitFor();
  assert.ok(await page.getByRole('button', { name }).isDisabled(), name);
}

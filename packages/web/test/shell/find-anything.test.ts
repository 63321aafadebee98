/*
 * Find anything: by a few letters of its name or of what it is.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openAskingAgent } from '../support/asking-agent.ts';
import { openChromium } from '../support/chromium.ts';
import { isApproval, talk } from '../support/conversations.ts';
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

test('what waits for a decision, keys, agents, devices and places are found by their names', async () => {
  const { client } = gateway;
  const agent = await openAskingAgent(gateway);
  const approval = await agent.ask('touch harvest-moon');
  await talk(client, 'ask: rm -r build', isApproval);
  const [ask] = (await client.asks.list()).items;
  const { key } = await client.keys.create({ body: { label: 'laptop at home' } });
  const { items: devices } = await client.auth.devices();
  await using phone = await openPhone(browser, { gateway, at: '/more', size: 'desk' });
  const { page } = phone;
  const device = devices[0]?.device ?? assert.fail();
  const permission = ask?.title ?? assert.fail();
  for (const [typed, found, leadsTo] of [
    ['harvest', /harvest-moon\s*approval/, `/approvals/${approval}`],
    [`permission ${permission}`, /permission$/, `/asks/${ask?.id}`],
    ['laptop home', /laptop at home\s*key/, `/keys/${key.id}`],
    ['echo agent', /echo\s*agent/, '/agents'],
    [`device ${device}`, /device$/, '/devices'],
    ['start command', /Start a command/, '/runs/new'],
    ['add host', /Add a host/, '/hosts/new'],
    ['decided', /Decided approvals/, '/approvals'],
    ['system', /System\s*place/, '/system'],
  ] as const) {
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox', { name: 'Find anything' }).fill(typed);
    await page.getByRole('dialog').getByRole('option', { name: found }).click();
    await page.waitForURL(`**${leadsTo}`);
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
  }
});

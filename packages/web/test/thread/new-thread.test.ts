/*
 * What a new thread lacks is said before it is begun: an agent that is not signed in, and no agent at all.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { openPhone } from '../support/phone.ts';
import { openRealGateway } from '../support/real-gateway.ts';

let browser: Browser;

before(async () => {
  browser = await openChromium();
});
after(() => browser?.close());

test('an agent that is not signed in is told of beside the start, with the command that signs it in', async () => {
  // In the home of the rig there is no sign-in of it.
  await using gateway = await openRealGateway({
    agents: () => ({ codex: { command: ['true'] } }),
  });
  await using phone = await openPhone(browser, { gateway, at: '/new' });
  const { page } = phone;
  const pick = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: /^Agent/ }).click();
    await page.getByRole('dialog').getByRole('button', { name }).click();
  };
  const told = page.getByRole('heading', { name: 'Codex is not signed in' });
  await page.getByRole('button', { name: 'Start' }).waitFor();
  assert.equal(await told.count(), 0, 'echo needs no sign-in');
  await pick('Codex');
  await told.waitFor();
  const command = page.getByLabel('Command that signs Codex in');
  assert.equal(await command.textContent(), 'clf agents login codex');
  await pick('echo');
  await told.waitFor({ state: 'detached' });
});

test('on a host every agent that the gateway knows can be chosen, with what it needs there; here only those that are installed', async () => {
  await using gateway = await openRealGateway({
    agents: () => ({ elsewhere: { command: ['/nowhere/on/this/machine'], title: 'Elsewhere' } }),
  });
  const { client } = gateway;
  const { key } = await client.keys.create({ body: { label: 'laptop' } });
  await client.connections.create({
    body: { label: 'builder', host: '127.0.0.1', port: 22, username: 'ann', keypair_id: key.id },
  });
  await using phone = await openPhone(browser, { gateway, at: '/new' });
  const { page } = phone;
  const sheet = page.getByRole('dialog');
  const open = async (picker: RegExp): Promise<void> => {
    await page.getByRole('button', { name: picker }).click();
    await sheet.waitFor();
  };
  const pick = async (row: RegExp): Promise<void> => {
    await sheet.getByRole('button', { name: row }).click();
    await sheet.waitFor({ state: 'detached' });
  };
  await open(/^Agent/);
  await sheet.getByRole('button', { name: /^echo/ }).waitFor();
  assert.equal(await sheet.getByRole('button', { name: /Elsewhere|OpenCode/ }).count(), 0);
  await pick(/^echo/);
  await open(/^Where/);
  await pick(/^builder/);
  await open(/^Agent/);
  await sheet.getByRole('button', { name: /^Elsewhere.*if it is installed there/ }).waitFor();
  await pick(/^OpenCode.*needs a command/);
  await page.getByRole('heading', { name: 'OpenCode has no command for a host' }).waitFor();
  await open(/^Agent/);
  await pick(/^Elsewhere/);
  await page.getByText('Elsewhere must be installed and signed in on builder').waitFor();
  // Back here it is not there, and another one is chosen.
  await open(/^Where/);
  await pick(/^This machine/);
  await page.getByRole('button', { name: /^Agent\s*echo/ }).waitFor();
  assert.equal(await page.getByText('must be installed').count(), 0);
});

test('where no agent is installed, a host can still be chosen', async () => {
  await using gateway = await openRealGateway({
    agents: () => ({ echo: undefined }),
    settings: { defaultAgent: undefined },
  });
  const { client } = gateway;
  const { key } = await client.keys.create({ body: { label: 'laptop' } });
  await client.connections.create({
    body: { label: 'builder', host: '127.0.0.1', port: 22, username: 'ann', keypair_id: key.id },
  });
  await using phone = await openPhone(browser, { gateway, at: '/new' });
  const { page } = phone;
  await page.getByLabel('What should it do?').fill('look around');
  await page.getByText('No agent is installed').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Start', exact: true }).isDisabled());
  await page.getByRole('button', { name: /^Where/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^builder/ })
    .click();
  await page.getByText('No agent is installed').waitFor({ state: 'detached' });
  // What is written is kept for each host.
  await page.getByLabel('What should it do?').fill('look around there');
  await page.getByRole('button', { name: 'Start', exact: true, disabled: false }).waitFor();
});

test('where no agent is installed, the command that installs one is there, in both ways to call it', async () => {
  await using gateway = await openRealGateway({
    agents: () => ({ echo: undefined }),
    settings: { defaultAgent: undefined },
  });
  await using phone = await openPhone(browser, { gateway, at: '/new', size: 'small' });
  const { page } = phone;
  await page.getByText('No agent is installed').waitFor();
  const command = page.getByLabel('Command that installs OpenCode');
  assert.equal(await command.textContent(), 'clf agents install opencode');
  await page.getByText('npx clf agents install opencode').waitFor();
  await page.getByRole('button', { name: 'Copy' }).waitFor();
  const widePx = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(widePx <= 0, `${widePx} px too wide`);
  await page.getByRole('link', { name: 'All agents' }).click();
  await page.getByRole('heading', { name: 'Agents', exact: true }).waitFor();
});

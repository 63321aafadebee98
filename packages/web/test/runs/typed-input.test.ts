/*
 * Typing into a run on pipes when answers are slow or lost, in a real browser.
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

const command = 'echo ready; while read word; do echo "got <$word>"; done';
const inputs = '**/api/v1/runs/*/input';

async function startRun(): Promise<string> {
  const begun = await gateway.client.runs.create({ body: { command, background: true } });
  assert.ok(begun.status === 'running');
  return begun.runId;
}

const wordsOf = async (page: Page): Promise<readonly string[]> => {
  const text = (await page.locator('.reader pre').allTextContents()).join('');
  return [...text.matchAll(/<(.*)>/g)].map(([, word = '']) => word);
};

test('what was sent and whose answer was lost is read once: sent again, or found to have arrived', async () => {
  const runId = await startRun();
  await using phone = await openPhone(browser, {
    gateway,
    at: `/runs/${runId}`,
    expects: [/net::ERR_/],
  });
  const { page } = phone;
  const output = page.getByRole('log', { name: 'Output' });
  const field = page.getByLabel('Input for the program');
  const send = page.getByRole('button', { name: 'Send', exact: true });
  await output.getByText('ready').waitFor();
  let isLost = true;
  await page.route(inputs, async (route) => {
    if (!isLost) return route.continue();
    // It arrives; only its answer does not.
    await route.fetch();
    return route.abort('connectionreset');
  });
  await field.fill('one');
  await send.click();
  await output.getByText('got <one>').waitFor();
  await page.getByText('The gateway does not answer.').waitFor();
  assert.equal(await field.inputValue(), 'one');
  isLost = false;
  await send.click();
  await page.waitForFunction(() => document.querySelector('textarea')?.value === '');
  await field.fill('two');
  await send.click();
  await output.getByText('got <two>').waitFor();
  assert.deepEqual(await wordsOf(page), ['one', 'two']);

  isLost = true;
  await field.fill('three');
  await send.click();
  await output.getByText('got <three>').waitFor();
  await page.getByText('The gateway does not answer.').waitFor();
  isLost = false;
  // Everything is read anew.
  gateway.proxy.reset();
  await page.getByText('What you sent has arrived.').waitFor();
  await page.waitForFunction(() => document.querySelector('textarea')?.value === '');
  await field.fill('four');
  await send.click();
  await output.getByText('got <four>').waitFor();
  assert.deepEqual(await wordsOf(page), ['one', 'two', 'three', 'four']);
  await gateway.client.runs.cancel({ params: { id: runId } });
});

test('something else than what was sent in doubt goes behind it', async () => {
  const runId = await startRun();
  await using phone = await openPhone(browser, {
    gateway,
    at: `/runs/${runId}`,
    expects: [/net::ERR_/],
  });
  const { page } = phone;
  const output = page.getByRole('log', { name: 'Output' });
  const field = page.getByLabel('Input for the program');
  const send = page.getByRole('button', { name: 'Send', exact: true });
  await output.getByText('ready').waitFor();
  await page.route(
    inputs,
    async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    },
    { times: 1 },
  );
  await field.fill('yes');
  await send.click();
  await output.getByText('got <yes>').waitFor();
  await page.getByText('The gateway does not answer.').waitFor();
  await field.fill('no');
  await send.click();
  await output.getByText('got <no>').waitFor();
  assert.deepEqual(await wordsOf(page), ['yes', 'no']);
  await gateway.client.runs.cancel({ params: { id: runId } });
});

test('what is typed while a piece is sent stays, behind it if it was refused', async () => {
  const runId = await startRun();
  await using phone = await openPhone(browser, {
    gateway,
    at: `/runs/${runId}`,
    expects: [/net::ERR_/],
  });
  const { page } = phone;
  const output = page.getByRole('log', { name: 'Output' });
  const field = page.getByLabel('Input for the program');
  const send = page.getByRole('button', { name: 'Send', exact: true });
  await output.getByText('ready').waitFor();
  for (const isTaken of [true, false]) {
    const answer = Promise.withResolvers<void>();
    const asked = page.waitForRequest(inputs);
    await page.route(
      inputs,
      async (route) => {
        await answer.promise;
        await (isTaken ? route.continue() : route.abort('connectionreset'));
      },
      { times: 1 },
    );
    await field.fill('first');
    await send.click();
    await asked;
    await field.fill('second');
    answer.resolve();
    if (isTaken) await output.getByText('got <first>').waitFor();
    else await page.getByText('The gateway does not answer.').waitFor();
    await send.isEnabled();
    const kept = isTaken ? 'second' : 'first\nsecond';
    await page.waitForFunction(
      (words) => document.querySelector('textarea')?.value === words,
      kept,
    );
  }
  await send.click();
  await output.getByText('got <second>').waitFor();
  assert.deepEqual(await wordsOf(page), ['first', 'first', 'second']);
  await gateway.client.runs.cancel({ params: { id: runId } });
});

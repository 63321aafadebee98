/*
 * A phone in the pocket: the page is frozen, its connections are still open and say nothing any more, or were closed politely. When it is
 * looked at again it is live at once, and does not wait for a time limit to find out.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import {
  beginThread,
  counting,
  isEnd,
  prompt,
  talk,
  untilEvent,
} from '../support/conversations.ts';
import { openPhone, setVisible } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';
import { watchPage } from '../support/witness.ts';

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

/* Of the two heartbeats after which a silent connection is given up anyway. */
const patienceMs = 15_000;

for (const [how, act] of [
  ['half open', () => gateway.proxy.strand()],
  ['reset', () => gateway.proxy.reset()],
  ['ended politely', () => gateway.proxy.endStreams()],
] as const) {
  test(`frozen for five minutes with its connections ${how}: what was said meanwhile is there`, async () => {
    const threadId = await talk(gateway.client, 'Before the pocket.');
    await using phone = await openPhone(browser, {
      gateway,
      at: `/threads/${threadId}`,
      expects: [/net::ERR_/],
    });
    const { page } = phone;
    await page.getByText('Before the pocket.').last().waitFor();
    const witness = await watchPage(page);
    await page.clock.install();
    await setVisible(page, false);
    const devtools = await phone.context.newCDPSession(page);
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
    act();
    await prompt(gateway.client, threadId, 'Inside the pocket.');
    await untilEvent(gateway.client, threadId, counting(2, isEnd));
    await devtools.send('Page.setWebLifecycleState', { state: 'active' });
    await page.clock.fastForward(5 * 60_000);
    // What was there is there, before anything has come.
    await page.getByText('Before the pocket.').last().waitFor();
    await setVisible(page, true);
    await page
      .locator('.markdown')
      .getByText('Inside the pocket.')
      .last()
      .waitFor({ timeout: patienceMs });
    await page.clock.resume();
    // And it stays live.
    await prompt(gateway.client, threadId, 'Back in the hand.');
    await page
      .locator('.markdown')
      .getByText('Back in the hand.')
      .last()
      .waitFor({ timeout: patienceMs });
    assert.equal(await witness.sawSignIn(), false);
  });
}

test('a thread that was begun elsewhere meanwhile is in the list when the page is seen again', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/threads', expects: [/net::ERR_/] });
  const { page } = phone;
  await page.getByRole('heading', { name: 'Threads' }).waitFor();
  await page.clock.install();
  await setVisible(page, false);
  gateway.proxy.strand();
  const id = await beginThread(gateway.client);
  await prompt(gateway.client, id, 'Begun at the desk.');
  await page.clock.fastForward(5 * 60_000);
  await setVisible(page, true);
  await page.getByText('Begun at the desk.').first().waitFor({ timeout: patienceMs });
});

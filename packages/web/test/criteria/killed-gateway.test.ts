/*
 * The gateway is killed with -9 under an open thread, again and again, while its agent goes on. Every word is shown once and in order, nobody
 * is asked to sign in, an absence of less than four seconds is not spoken of, and a long one is called what it was: a restart.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { proveReceipt } from '@clawdfather/sdk';
import { openChromium } from '../support/chromium.ts';
import { beginThread, isEnd, prompt, untilEvent } from '../support/conversations.ts';
import { heardEvents, hearStreams } from '../support/heard-events.ts';
import { openPageTime } from '../support/page-time.ts';
import { openPhone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';
import { batchesOf, rounds } from '../support/rounds.ts';
import { watchPage } from '../support/witness.ts';

/* What browsers note when nobody answers. */
const cutOff = [/net::ERR_/, /status of 50[234]/];

/* Of the page's own time: after four seconds it speaks of it. */
const shortMs = 3_900;

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

for (const { from, to, name } of batchesOf(rounds(4, 100))) {
  test(`killed and started again, each time while the agent speaks: every word once, in order, and no strip (kills ${name})`, async () => {
    const count = to - from;
    const marks = Array.from({ length: count + 1 }, (_, round) => `mark-${from + round}.`);
    const gates = marks.map((_, round) => `${from}-round-${round}`);
    const threadId = await beginThread(gateway.client);
    await using phone = await openPhone(browser, { gateway, at: '/threads', expects: cutOff });
    const { page } = phone;
    await hearStreams(page);
    await page.goto(`${gateway.url}/threads/${threadId}`);
    await page.locator('.thread-facts .dot.live').waitFor();
    const witness = await watchPage(page);
    const time = await openPageTime(page);
    const lines = marks.flatMap((mark, round) => [mark, `sleep at ${gates[round]}`]);
    await prompt(gateway.client, threadId, lines.join('\n'));
    // What was asked has these words, too; what the agent says is Markdown.
    const mark = (round: number) =>
      page
        .locator('.markdown')
        .getByText(marks[round] ?? '')
        .last();
    for (let round = 0; round < count; round += 1) {
      const gate = gateway.gate(gates[round] ?? '');
      await gate.reached();
      await mark(round).waitFor();
      await time.pause();
      await gateway.kill();
      // The agent says the next words while there is no gateway.
      gate.release();
      await gateway.start();
      const isBack = async (): Promise<boolean> =>
        time.isFollowing && (await mark(round + 1).isVisible());
      await time.passUntil(isBack, shortMs);
      await time.resume();
    }
    gateway.gate(gates.at(-1) ?? '').release();
    await untilEvent(gateway.client, threadId, isEnd);
    await mark(count).waitFor();
    await page.locator('.thread-facts').getByText('done').waitFor();
    assert.equal(await witness.sawSignIn(), false);
    assert.deepEqual(await witness.strips(), [], 'an absence of seconds is not spoken of');
    await checkHeard(page, threadId);

    const shown = await textOf(page);
    assert.deepEqual(shown.match(/mark-\d+\./g), marks, 'every word once, in order');
    // To the letter what a page shows that has it all from the gateway at once.
    await using fresh = await openPhone(browser, {
      gateway,
      as: phone,
      at: `/threads/${threadId}`,
    });
    await fresh.page
      .locator('.markdown')
      .getByText(marks.at(-1) ?? '')
      .last()
      .waitFor();
    assert.equal(shown, await textOf(fresh.page));
  });
}

/* What the page has heard over all of its connections is what the gateway has: every number, and each event to the letter. */
async function checkHeard(page: Page, threadId: string): Promise<void> {
  const params = { id: threadId };
  const receipt = await gateway.client.history.receipt({ params, query: { since: 0 } });
  const proof = await proveReceipt(receipt, await heardEvents(page));
  assert.ok(receipt.events > 0);
  assert.deepEqual(proof, {
    isProven: true,
    events: receipt.events,
    bytes: receipt.bytes,
    checksum: receipt.checksum,
    missing: [],
  });
}

function textOf(page: Page): Promise<string> {
  return page.locator('.markdown').last().innerText();
}

test('a gateway that is killed and back within four seconds is not spoken of', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/threads', expects: cutOff });
  const { page } = phone;
  await page.getByRole('heading', { name: 'Threads' }).waitFor();
  const witness = await watchPage(page);
  const time = await openPageTime(page);
  await time.pause();
  await gateway.kill();
  await gateway.start();
  const title = 'Begun after the kill';
  await gateway.client.threads.create({ body: { title } });
  await time.passUntil(async () => (await page.getByText(title).count()) > 0, shortMs);
  await time.resume();
  await page.getByText(title).first().waitFor();
  assert.deepEqual(await witness.strips(), []);
  assert.equal(await witness.sawSignIn(), false);
});

test('a gateway that is away for long is said to be away, and its restart is named when it is back', async () => {
  await using phone = await openPhone(browser, { gateway, expects: cutOff });
  const { page } = phone;
  const witness = await watchPage(page);
  await page.getByText('Nothing needs you').waitFor();
  await gateway.kill();
  await page.getByText('The gateway does not answer.').waitFor();
  await gateway.start();
  // As when a network is back; a tap on "Retry now" may come after the app's own next try.
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await page.locator('.strip').waitFor({ state: 'detached' });
  const strips = await witness.strips();
  assert.ok(
    strips.some((text) => text.startsWith('The gateway was restarted')),
    strips.join(' | '),
  );
  assert.equal(await witness.sawSignIn(), false);
});

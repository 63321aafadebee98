/*
 * Going to and fro between two conversations leaves nothing behind: no nodes, and no more of the heap than code and caches need. (How it is with
 * 10,000 events, `npm run bench:web` says.)
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { fillThreads, ordinaryEvents } from '../support/fill-thread.ts';
import { leftAfter } from '../support/page-memory.ts';
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

const switches = 20;
/* What one conversation has on the screen is more than this, so one that stays is noticed. */
const nodesMax = 100;
const bytesMax = 2_000_000;

test('20 switches between two threads leave no nodes that nobody sees, and at most 2 MB', async () => {
  const all = ordinaryEvents(500);
  const conversations = [8, 6].map((turn) => {
    const last = all.findLastIndex(({ turnId }) => turnId === `turn-00000${turn}`);
    return { events: all.slice(0, last + 1), ends: `Part ${turn}` };
  });
  const ids = await fillThreads(
    gateway,
    conversations.map(({ events }) => events),
  );
  await using phone = await openPhone(browser, { gateway, at: '/threads' });
  const { page } = phone;
  const session = await phone.context.newCDPSession(page);
  await session.send('Performance.enable');
  const left = await leftAfter(session, switches, async (number) => {
    const at = number % 2;
    await phone.go(`/threads/${ids[at] ?? ''}`);
    await page
      .getByText(conversations[at]?.ends ?? '', { exact: true })
      .first()
      .waitFor();
  });
  assert.ok(left.nodes <= nodesMax, `${left.nodes} nodes`);
  assert.ok(left.bytes <= bytesMax, `${left.bytes} bytes`);
});

/*
 * Coming back after an absence that began anywhere in a conversation: the receipt has the numbers of the gateway, and its proof holds exactly
 * when every event has arrived as the gateway has it. Restarts of the gateway meanwhile are told.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { proveReceipt, type ThreadEvent } from '@clawdfather/sdk';
import { createSeededRandom } from '@clawdfather/testkit';
import { openChromium } from '../support/chromium.ts';
import { eventsOf } from '../support/conversations.ts';
import { fillThreads, ordinaryEvents, type WrittenEvent } from '../support/fill-thread.ts';
import { openPhone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';
import { batchesOf, rounds } from '../support/rounds.ts';

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

/* What becomes of one event: nothing; the gateway is restarted; it is lost on the way, changed on the way, or gone at the gateway. */
const fates = ['none', 'restart', 'lost', 'changed', 'removed'] as const;

interface Cut {
  readonly fate: (typeof fates)[number];
  /* The last event that was looked at before. */
  readonly since: number;
  /* The event that it happens to, after that. */
  readonly seq: number;
  readonly events: readonly WrittenEvent[];
}

for (const { from, to, name } of batchesOf(rounds(5, 50))) {
  test(`the receipt has the counts of the gateway from any cut on, and says which event is missing or not the same (cuts ${name})`, () =>
    lookFromCuts(from, to));
}

async function lookFromCuts(from: number, to: number): Promise<void> {
  const cuts = Array.from({ length: to - from }, (_, round) => randomCut(from + round));
  const ids = await fillThreads(
    gateway,
    cuts.map(({ events }) => events),
  );
  // A gateway that is killed cuts what the page had open.
  await using phone = await openPhone(browser, { gateway, expects: [/net::ERR_/] });
  const { page } = phone;
  for (const [round, cut] of cuts.entries()) {
    const id = ids[round] ?? '';
    await gateway.client.seen.mark({ params: { id }, body: { seq: cut.since } });
    if (cut.fate === 'restart') {
      await gateway.kill();
      await gateway.start();
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    if (cut.fate === 'lost' || cut.fate === 'changed') await spoil(page, cut);
    await phone.go(`/threads/${id}`);
    await checkReceipt(page, id, cut);
  }
}

async function checkReceipt(page: Page, id: string, cut: Cut): Promise<void> {
  const { fate, since, seq } = cut;
  const { client } = gateway;
  const receipt = await client.history.receipt({ params: { id }, query: { since } });
  const events = (await eventsOf(client, id)).filter((event) => event.seq > since);
  const proof = await proveReceipt(receipt, events);
  assert.equal(receipt.events, events.length);
  assert.equal(receipt.bytes, proof.bytes);
  assert.equal(receipt.checksum, proof.checksum);
  const told = `${receipt.events} events, ${Math.round(receipt.bytes / 1_000)} kB`;
  const card = page.getByRole('region', { name: 'While you were away' });
  const line = (text: string): Promise<void> => card.getByText(text, { exact: true }).waitFor();
  const said = {
    none: 'All of it is here ✓',
    restart: 'All of it is here ✓',
    lost: `Not all of it is here. Not received: ${seq}`,
    removed: `Not all of it is here. Not received: ${seq}`,
    changed: 'One event is not as the gateway has it',
  };
  await line(said[fate]);
  await card.getByText('Details', { exact: true }).click();
  await line(told);
  const isProven = fate === 'none' || fate === 'restart';
  assert.equal(
    await card.getByText('Their checksum is that of the gateway').count(),
    isProven ? 1 : 0,
  );
  if (fate === 'removed') await line(`The gateway itself does not have: ${seq}`);
  for (const { starts, first_generation: first, last_generation: last } of receipt.gateways) {
    const times = starts === 1 ? 'once' : `${starts} times`;
    await line(`The gateway was restarted ${times}${isProven ? '; nothing is lost' : ''}`);
    await line(`Gateway generation ${first - 1} → ${last}`);
  }
}

/* Up to 400 events, and an absence of at least one whole turn. */
function randomCut(round: number): Cut {
  const bytes = createSeededRandom(round + 1).bytes(6);
  const chance = (at: number, below: number): number =>
    (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)) % below;
  const length = 120 + chance(0, 280);
  const since = 1 + chance(2, length - 80);
  // Not the last one: nobody can know of an event that nothing comes after.
  const seq = since + 1 + chance(4, length - since - 2);
  const fate = fates[round % fates.length] ?? 'none';
  const events = ordinaryEvents(length).map((event, index) =>
    fate === 'removed' && index === seq - 1 ? { ...event, isRemoved: true } : event,
  );
  return { fate, since, seq, events };
}

/* Between the gateway and the page. */
async function spoil(page: Page, { fate, seq }: Cut): Promise<void> {
  await page.route('**/events?*', async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { readonly items?: readonly ThreadEvent[] };
    if (body.items === undefined) return route.fulfill({ response: answer });
    const items = body.items.flatMap((event) => {
      if (event.seq !== seq) return [event];
      return fate === 'lost' ? [] : [{ ...event, payload: { ...event.payload, text: 'other' } }];
    });
    await route.fulfill({ response: answer, json: { ...body, items } });
  });
}

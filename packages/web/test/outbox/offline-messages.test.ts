/*
 * Twenty messages that are written without a network in a real browser, in two tabs, over a reload and a kill -9 of the browser. Then there is a
 * network again, and one of its hazards: answers get lost, connections are cut, the gateway or the browser is killed while they are sent.
 * The gateway has each of them once, in the order in which they were written.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { OutboxRow } from '@clawdfather/sdk';
import { createSystemClock } from '@clawdfather/kit';
import { createSeededRandom } from '@clawdfather/testkit';
import {
  beginThread,
  counting,
  eventsOf,
  isEnd,
  saidIn,
  untilEvent,
} from '../support/conversations.ts';
import { type Device, openDevice } from '../support/device.ts';
import { readTable } from '../support/kept-on-device.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';
import { batchesOf, rounds } from '../support/rounds.ts';

const messageCount = 20;
/* Of one thread, with one agent. More would take longer than a test may. */
const roundsPerGateway = 20;

/* The worst ones first: those are the ones of npm test. */
const hazards = [
  'killed browser',
  'lost answers',
  'killed gateway',
  'cut connections',
  'none',
] as const;

const expects = [/net::ERR_/, /Failed to load resource/, /status of 50[234]/];

/* All that waits may wait: the agent is slower than the messages come. */
const settings = { queue: { agent: { waiting: 1_000 }, account: { waiting: 1_000 } } };

const clock = createSystemClock();
const count = rounds(2, 200);

for (const { from, to, name } of batchesOf(count, roundsPerGateway)) {
  test(`what is written offline is delivered once and in order, whatever happens meanwhile (rounds ${name})`, async (t) => {
    await using gateway = await openRealGateway({ settings });
    await using device = await openDevice({ gateway, size: 'desk', expects });
    const rig: Rig = { gateway, device, threadId: await beginThread(gateway.client) };
    const said: string[] = [];
    await openTabs(rig);
    for (let round = from; round < to; round += 1) {
      const texts = Array.from({ length: messageCount }, (_, n) => `round ${round + 1}, ${n + 1}.`);
      said.push(...texts);
      const hazard = hazards[round % hazards.length] ?? 'none';
      await writeOffline(rig, { texts, round });
      assert.equal(await arrivedIn(rig), said.length - messageCount, 'nothing has left yet');
      const tookMs = await deliver(rig, { hazard, arrived: said.length });
      t.diagnostic(`round ${round + 1}, ${hazard}: ${tookMs} ms after the network was back`);
    }
    // The agent has been at it meanwhile; now every word of it.
    await untilEvent(gateway.client, rig.threadId, counting(said.length, isEnd));
    assert.deepEqual(saidIn(await eventsOf(gateway.client, rig.threadId)), said);
  });
}

interface Rig {
  readonly gateway: RealGateway;
  readonly device: Device;
  readonly threadId: string;
}

/* In both tabs in turn; one of them is loaded again meanwhile, and the browser is killed and opened again. */
async function writeOffline(
  rig: Rig,
  { texts, round }: { readonly texts: readonly string[]; readonly round: number },
): Promise<void> {
  const { device } = rig;
  const [byte = 0, other = 0] = createSeededRandom(round + 1).bytes(2);
  await goOffline(rig);
  for (const [index, text] of texts.entries()) {
    const isLast = index === byte % messageCount;
    await write(tabOf(device, index), text, isLast ? untilDraft : undefined);
    if (index === other % messageCount) await tabOf(device, 1).reload();
    if (!isLast) continue;
    await device.kill();
    await device.start();
    await openTabs(rig);
    // What was sent is no draft any more: it would be sent again by hand.
    assert.deepEqual(await readTable(tabOf(device, 0), 'drafts'), []);
  }
}

/* How long it took. */
async function deliver(
  rig: Rig,
  { hazard, arrived }: { readonly hazard: Hazard; readonly arrived: number },
): Promise<number> {
  const onlineAtMs = performance.now();
  const struck = strike(rig, { hazard, before: arrived - messageCount });
  await goOnline(rig);
  await struck;
  await untilArrived(rig, arrived);
  const tookMs = Math.round(performance.now() - onlineAtMs);
  await untilNothingWaits(rig);
  return tookMs;
}

function tabOf({ phone }: Device, index: number): Page {
  const tab = phone.context.pages()[index % 2];
  assert.ok(tab !== undefined);
  return tab;
}

/* Both at the thread. Without a network they come from the worker. */
async function openTabs({ gateway, device, threadId }: Rig): Promise<void> {
  const path = `/threads/${threadId}`;
  await device.phone.page.goto(new URL(path, gateway.url).href);
  await device.phone.openTab(path);
  for (const tab of device.phone.context.pages()) await tab.getByLabel('Message').waitFor();
}

async function arrivedIn({ gateway, threadId }: Rig): Promise<number> {
  return (await gateway.client.threads.get({ params: { id: threadId } })).turns.length;
}

/* What waits in line is no event of the thread yet, so the gateway is asked. */
async function untilArrived(rig: Rig, arrived: number): Promise<void> {
  while ((await arrivedIn(rig)) < arrived) await clock.sleep(20);
}

/* Kept on the device when it is shown as such. */
async function write(
  tab: Page,
  text: string,
  pause: (tab: Page, text: string) => Promise<void> = async () => {},
): Promise<void> {
  const box = tab.getByLabel('Message');
  await box.fill(text);
  await pause(tab, text);
  await box.press('Enter');
  await tab.locator('.waiting-bar').getByText(text, { exact: true }).waitFor();
}

/* Who pauses while writing has a draft. */
async function untilDraft(tab: Page, text: string): Promise<void> {
  const texts = async (): Promise<readonly string[]> =>
    (await readTable<{ readonly text: string }>(tab, 'drafts')).map((row) => row.text);
  while (!(await texts()).includes(text)) await clock.sleep(20);
}

const nowhere = 'http://127.0.0.1:1';

/* The device says so, and nothing is reached: a browser that is started anew does not know the first. */
async function goOffline({ gateway, device }: Rig): Promise<void> {
  gateway.proxy.target(nowhere);
  gateway.proxy.reset();
  await device.phone.context.setOffline(true);
}

async function goOnline({ gateway, device }: Rig): Promise<void> {
  await device.phone.context.setOffline(true);
  gateway.proxy.target(gateway.client.connection.baseUrl);
  await device.phone.context.setOffline(false);
}

type Hazard = (typeof hazards)[number];

/* While the messages are sent. Begun before there is a network. */
async function strike(
  rig: Rig,
  { hazard, before }: { readonly hazard: Hazard; readonly before: number },
): Promise<void> {
  const { gateway, device } = rig;
  const arrived = (more: number): Promise<void> => untilArrived(rig, before + more);
  switch (hazard) {
    case 'none':
      return;
    case 'lost answers':
      gateway.proxy.swallowAnswers(true);
      await arrived(1);
      return gateway.proxy.swallowAnswers(false);
    case 'cut connections':
      for (const more of [1, 6, 11]) {
        await arrived(more);
        gateway.proxy.reset();
      }
      return;
    case 'killed gateway':
      await arrived(2);
      await gateway.kill();
      return gateway.start();
    case 'killed browser':
      await arrived(2);
      await device.kill();
      await device.start();
      await openTabs(rig);
  }
}

/* As the device sees it: a row that is not settled would be sent again. */
async function untilNothingWaits({ device }: Rig): Promise<void> {
  const settled: readonly string[] = ['accepted', 'taken'];
  const states = async (): Promise<readonly string[]> => {
    const rows = await readTable<OutboxRow>(tabOf(device, 0), 'outbox');
    return rows.map(({ state }) => state.kind);
  };
  while (!(await states()).every((kind) => settled.includes(kind))) await clock.sleep(20);
}

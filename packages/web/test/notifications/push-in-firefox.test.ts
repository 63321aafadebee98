/*
 * Push in Firefox ESR from end to end: the browser's own subscription, the gateway's encryption, the browser's decryption, our worker, the
 * notification that it shows and a tap on it. Only Mozilla's server is replaced, by one on the loopback that speaks as it does.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type MozillaPush, openMozillaPush } from '@clawdfather/testkit';
import { type AskingAgent, openAskingAgent } from '../support/asking-agent.ts';
import { until } from '../support/browsers/driver.ts';
import {
  type FirefoxInside,
  openFirefoxInside,
  type ShownByFirefox,
} from '../support/browsers/firefox-inside.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';
import { batchesOf, rounds } from '../support/rounds.ts';

/* In each command, so that it would be found wherever one got to. */
const canary = 'canary7f3a';

let service: MozillaPush;
let gateway: RealGateway;
let firefox: FirefoxInside;
let agent: AskingAgent;

before(async () => {
  service = await openMozillaPush();
  const push = { services: [service.origin], contact: 'mailto:test@example.org' };
  [gateway, firefox] = await Promise.all([
    openRealGateway({ settings: { notify: { push } } }),
    openFirefoxInside(service.preferences),
  ]);
  agent = await openAskingAgent(gateway);
});
after(async () => {
  await firefox?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

/* As a browser tells a page that it is put away: what is looked at gets no push. */
const putAway = `(() => {
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
  document.dispatchEvent(new Event('visibilitychange'));
})()`;

function untilShown(): Promise<readonly ShownByFirefox[]> {
  return until('a notification', async () => {
    const shown = await firefox.notifications();
    return shown.length > 0 && shown.every(({ title }) => title !== '') ? shown : undefined;
  });
}

async function untilNoneShown(): Promise<void> {
  await until('an empty screen', async () =>
    (await firefox.notifications()).length === 0 ? true : undefined,
  );
}

test('Firefox subscribes', async () => {
  const { hash } = new URL(await gateway.loginLink());
  await firefox.open(`${gateway.url}/notifications${hash}`);
  await firefox.press('button', 'Turn on');
  await firefox.sees('This device is told.');
  assert.equal(service.endpoints.length, 1);
});

const count = rounds(2, 50);

for (const { from, to, name } of batchesOf(count)) {
  test(`Firefox shows each push once and without what is asked, and a tap lands on the item (${name})`, async () => {
    for (let round = from + 1; round <= to; round += 1) await pushAndTap(round);
    assert.equal(service.taken.length, to);
    assert.deepEqual(service.refused, []);
  });
}

async function pushAndTap(round: number): Promise<void> {
  // In the last one the app is closed.
  const isClosed = round === count;
  await firefox.valueOf(putAway);
  if (isClosed) await firefox.open('about:blank');
  const command = `touch ${canary}-${round}`;
  const id = await agent.ask(command);
  await service.untilAcknowledged(round);
  const shown = await untilShown();
  assert.deepEqual(
    shown.map(({ title }) => title),
    ['An agent asks for your approval'],
  );
  assert.ok(!JSON.stringify(shown).includes(canary));
  await firefox.tap();
  if (isClosed) {
    await until('a new page', async () => ((await firefox.pages()) === 2 ? true : undefined));
    await firefox.toNewestPage();
  }
  // On a wide screen the list beside the item shows the command before the tap does.
  await until('the item', async () =>
    (await firefox.valueOf('location.pathname')) === `/approvals/${id}` ? true : undefined,
  );
  await firefox.sees(command);
  assert.equal(await firefox.pages(), isClosed ? 2 : 1);
  await untilNoneShown();
  await gateway.client.approvals.decide({ params: { id }, body: { decision: 'deny' } });
}

test('signing out in Firefox ends the subscription on both sides and takes the notification away', async () => {
  await firefox.open(`${gateway.url}/notifications`);
  await firefox.press('button', 'Send a test');
  const [shown] = await untilShown();
  assert.equal(shown?.title, 'Notifications work on this device');
  await firefox.open(`${gateway.url}/more`);
  await firefox.press('button', 'Sign out here');
  await firefox.sees('Login link');
  await service.untilEndpoints(0);
  await untilNoneShown();
  const { items } = await gateway.client.auth.devices({ query: { limit: 100 } });
  assert.deepEqual(
    items.filter(({ push }) => push !== null),
    [],
  );
});

/*
 * Push in a real browser, from what an agent asks to the tap: each push shows exactly one notification, which says nothing of what is asked,
 * and a tap leads to the item in the window that is there, or in a new one.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type AskingAgent, openAskingAgent } from '../support/asking-agent.ts';
import { until } from '../support/browsers/driver.ts';
import { isApproval, isEnd, talk, untilEvent } from '../support/conversations.ts';
import { batchesOf, rounds } from '../support/rounds.ts';
import { setVisible } from '../support/phone.ts';
import { openPushRig, type PushRig } from './push-rig.ts';

/* In each command, so that it would be found wherever one got to. */
const canary = 'canary7f3a';
const title = 'An agent asks for your approval';

let rig: PushRig;
let agent: AskingAgent;

before(async () => {
  rig = await openPushRig();
  agent = await openAskingAgent(rig.gateway);
});
after(() => rig?.[Symbol.asyncDispose]());

async function stateOf(id: string): Promise<string> {
  return (await rig.gateway.client.approvals.get({ params: { id } })).state;
}

async function deny(id: string): Promise<void> {
  await rig.gateway.client.approvals.decide({ params: { id }, body: { decision: 'deny' } });
}

/* The window of the app. It is kept from test to test: one that is closed says so, and might say it late. */
let told: Page | undefined;

/* Notifications are on, and this device is not looked at. */
async function openTold(at = '/threads'): Promise<Page> {
  if (told === undefined) {
    told = await rig.openApp('/notifications');
    await told.getByRole('button', { name: 'Turn on' }).click();
    await told.getByText('This device is told.').waitFor();
  }
  await setVisible(told, false);
  await told.evaluate((to) => history.pushState(null, '', to), at);
  return told;
}

const days = [
  'a window is there',
  'the worker was stopped before the push',
  'the worker was stopped before the tap',
  'the app was closed',
  'the app was closed and the worker stopped',
] as const;

for (const { from, to, name } of batchesOf(rounds(days.length, 50))) {
  test(`each push shows exactly one notification, and a tap on it lands on the item (${name})`, () =>
    pushAndTap(from, to));
}

async function pushAndTap(from: number, to: number): Promise<void> {
  const { desktop, phone } = rig;
  const shownBefore = desktop.everShown.length;
  let page = await openTold();
  for (let round = from; round < to; round += 1) {
    const day = days[round % days.length] ?? days[0];
    const isClosed = day.startsWith('the app was closed');
    const command = `touch ${canary}-${round}`;
    if (isClosed) await page.close();
    const id = await agent.ask(command);
    const text = await rig.taken();
    assert.ok(text.includes(id) && !text.includes(canary), text);
    if (day.includes('before the push') || day.includes('and the worker')) await rig.stopWorkers();
    const [shown, ...more] = await rig.deliver(text);
    assert.ok(shown !== undefined && more.length === 0, day);
    assert.deepEqual(desktop.onScreen, [shown], day);
    assert.equal(shown.title, title);
    assert.ok(!JSON.stringify([shown.title, shown.body, [...shown.actions]]).includes(canary));
    if (day.includes('before the tap')) await rig.stopWorkers();
    const opened = isClosed ? phone.context.waitForEvent('page') : undefined;
    desktop.tap(shown);
    page = (await opened) ?? page;
    await page.getByText(command).first().waitFor();
    assert.equal(new URL(page.url()).pathname, `/approvals/${id}`, day);
    assert.deepEqual(desktop.onScreen, [], day);
    // The other one delivers the pushes.
    assert.equal(phone.context.pages().length, 2, `one window: ${day}`);
    await deny(id);
    await setVisible(page, false);
    told = page;
  }
  assert.equal(desktop.everShown.length - shownBefore, to - from);
}

test('what cannot be read is shown in general words, and a tap leads to the inbox', async () => {
  for (const text of ['this is no JSON', '', '{"notification":{"title":7}}']) {
    // Away from the inbox each time, so that each tap is seen to lead there, and none does so later, in another test.
    const page = await openTold();
    const shown = await rig.deliver(text);
    assert.deepEqual(
      shown.map((one) => one.title),
      ['Something happened in Clawdfather'],
    );
    const [notification] = shown;
    if (notification !== undefined) rig.desktop.tap(notification);
    await page.waitForURL('**/inbox');
    await rig.desktop.untilEmpty();
  }
});

test('deny in the notification denies what it is about; what cannot be denied opens its card', async () => {
  const page = await openTold();
  const id = await agent.ask(`touch ${canary}-denied`);
  const text = await rig.taken();
  const [shown] = await rig.deliver(text);
  assert.ok(shown !== undefined);
  const names = [...shown.actions.values()];
  assert.ok(names.includes('Deny') && names.includes('Open'), String(names));
  assert.ok(!names.some((name) => /allow|approve/i.test(name)), String(names));
  rig.desktop.tap(shown, 'Deny');
  await until('a decision', async () => ((await stateOf(id)) === 'pending' ? undefined : true));
  assert.equal(await stateOf(id), 'denied');
  assert.equal(new URL(page.url()).pathname, '/threads', 'nothing else happens');

  const [again] = await rig.deliver(text);
  assert.ok(again !== undefined);
  rig.desktop.tap(again, 'Deny');
  await page.getByText(/Denied by you/).waitFor();
});

test('what an agent asks in a thread is denied from its notification, and its end is told without a title', async () => {
  const { client } = rig.gateway;
  const page = await openTold();
  const threadId = await talk(client, `${canary} is a title\nask: rm -r build`, isApproval);
  const asked = await rig.taken();
  const [question] = await rig.deliver(asked);
  assert.ok(question !== undefined);
  rig.desktop.tap(question, 'Deny');
  await untilEvent(client, threadId, isEnd);
  const ended = await rig.taken();
  const [end] = await rig.deliver(ended);
  assert.ok(end !== undefined);
  assert.deepEqual([question.title, end.title], [title, 'An agent is done']);
  const words = [asked, ended, question.body, end.body].join();
  assert.ok(!words.includes(canary) && !words.includes('rm -r'), words);
  assert.equal(new URL(page.url()).pathname, '/threads');
  rig.desktop.tap(end);
  await page.waitForURL(`**/threads/${threadId}`);
  await page.getByText(`${canary} is a title`).first().waitFor();
  await page.getByText('rm -r build: reject').first().waitFor();
});

test('a gateway that does not answer keeps no push from being shown, and a denial that cannot be sent opens the card', async () => {
  const page = await openTold();
  const id = await agent.ask(`touch ${canary}-frozen`);
  const text = await rig.taken();
  rig.gateway.proxy.freeze(true);
  try {
    await rig.stopWorkers();
    const [shown] = await rig.deliver(text);
    assert.equal(shown?.title, title);
    if (shown !== undefined) rig.desktop.tap(shown, 'Deny');
    await page.waitForURL(`**/approvals/${id}`);
  } finally {
    rig.gateway.proxy.freeze(false);
  }
  await page.getByText(`touch ${canary}-frozen`).first().waitFor();
  await deny(id);
});

test('a device that is looked at is not pushed to, and what comes all the same is shown', async () => {
  const page = await openTold();
  await lookAt(page);
  const waiting = await agent.ask(`touch ${canary}-looked-at`);
  await until('a push that waits', async () => {
    const { items } = await rig.gateway.client.notices.list({ query: { limit: 10 } });
    const notice = items.find(({ about }) => about === waiting);
    return notice?.deliveries.find(({ reason }) => reason === 'looked at');
  });
  const [shown] = await rig.deliver('it is looked at');
  assert.ok(shown !== undefined, 'the worker asks nobody');
  rig.desktop.tap(shown);
  await rig.desktop.untilEmpty();
  await setVisible(page, false);
  assert.ok((await rig.taken()).includes(waiting), 'it is pushed when nobody looks');
  await deny(waiting);
});

test('a window that is closed while it is looked at says so: the next push does not wait', async () => {
  const page = await openTold();
  await lookAt(page);
  await page.evaluate(() => Reflect.deleteProperty(document, 'visibilityState'));
  await page.close({ runBeforeUnload: true });
  const id = await agent.ask(`touch ${canary}-closed`);
  assert.ok((await rig.taken()).includes(id));
  await deny(id);
});

/* Resolves when the gateway knows. */
async function lookAt(page: Page): Promise<void> {
  const told = page.waitForResponse(
    (response) => (response.request().postData() ?? '').includes('"visible"') && response.ok(),
  );
  await setVisible(page, true);
  await told;
}

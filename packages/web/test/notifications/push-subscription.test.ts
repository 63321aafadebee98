/*
 * The life of a subscription in a real browser: turned on in a tap, made anew when the key or the address is gone, and nothing left of it
 * after signing out.
 */
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openAskingAgent } from '../support/asking-agent.ts';
import { until } from '../support/browsers/driver.ts';
import { placesWith, readKept } from '../support/kept-on-device.ts';
import { openPushRig, type PushRig } from './push-rig.ts';

const tested = 'Notifications work on this device';

let rig: PushRig;

before(async () => {
  rig = await openPushRig();
});
after(() => rig?.[Symbol.asyncDispose]());

interface Known {
  readonly key_id: string;
  readonly subscription: {
    readonly endpoint: string;
    readonly key_id: string;
    readonly classes: Record<string, boolean>;
  } | null;
}

/* What the gateway has of this device. */
function knownOf(page: Page): Promise<Known> {
  return page.evaluate(async () => (await fetch('/api/v1/push')).json() as Promise<Known>);
}

async function sendTest(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send a test' }).click();
  const shown = await rig.deliver(await rig.taken());
  assert.deepEqual(
    shown.map(({ title }) => title),
    [tested],
  );
}

test('a killed app that opens at its first page goes on to what was tapped, once', async () => {
  const agent = await openAskingAgent(rig.gateway);
  const page = await rig.openApp('/threads');
  const id = await agent.ask('touch after-a-kill');
  // The page is told where to go and forgets it; one that was killed has not.
  await page.evaluate(leaveNote, `/approvals/${id}`);
  await page.goto(`${rig.gateway.url}/`);
  await page.waitForURL(`**/approvals/${id}`);
  await page.getByText('touch after-a-kill').first().waitFor();
  await page.goto(`${rig.gateway.url}/`);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await page.getByText('touch after-a-kill').waitFor();
  assert.notEqual(new URL(page.url()).pathname, `/approvals/${id}`);
});

/* Runs in the page: what the worker leaves when a notification is tapped. */
async function leaveNote(path: string): Promise<void> {
  const asked = indexedDB.open('clawdfather');
  await new Promise((resolve, reject) => {
    asked.onsuccess = resolve;
    asked.onerror = reject;
  });
  const change = asked.result.transaction('notes', 'readwrite');
  change
    .objectStore('notes')
    .put({ key: 'opened-notification', value: { path, atMs: Date.now() } });
  await new Promise((resolve, reject) => {
    change.oncomplete = resolve;
    change.onerror = reject;
  });
  asked.result.close();
}

test('notifications are turned on in a tap, by class, and tested', async () => {
  const page = await rig.openApp('/notifications');
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByText('This device is told.').waitFor();
  const { key_id: keyId, subscription } = await knownOf(page);
  assert.equal(subscription?.key_id, keyId);
  assert.equal(subscription.endpoint, rig.subscription()?.endpoint);
  await page.getByLabel('A thread is done').uncheck();
  await page.waitForFunction(
    async () =>
      !((await (await fetch('/api/v1/push')).json()) as Known).subscription?.classes['done'],
  );
  await sendTest(page);
  await page.getByText(/Sent\./).waitFor();
});

test('an address that the push service does not know any more is replaced at the next start', async () => {
  const page = await rig.openApp('/notifications');
  const before = rig.subscription()?.endpoint;
  rig.service.answerWith((response, endpoint) => {
    if (endpoint !== before) return false;
    response.statusCode = 410;
    response.end();
    return true;
  });
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText(/It was not sent/).waitFor();
  assert.equal((await knownOf(page)).subscription, null, 'the gateway has removed it');

  const started = await rig.openApp('/notifications');
  await started.getByText('This device is told.').waitFor();
  const { subscription } = await knownOf(started);
  assert.ok(subscription !== null && subscription.endpoint !== before);
  assert.equal(subscription.endpoint, rig.subscription()?.endpoint);
  await sendTest(started);
});

test('after a new key of the gateway the device subscribes with it at the next start', async () => {
  const page = await rig.openApp('/notifications');
  const before = await knownOf(page);
  await rig.gateway.kill();
  spoilKey();
  await rig.gateway.start();

  const started = await rig.openApp('/threads');
  const now = await until('the new key', async () => {
    const known = await knownOf(started);
    const { key_id: keyId, subscription } = known;
    return subscription?.key_id === keyId && keyId !== before.key_id ? known : undefined;
  });
  assert.notEqual(now.subscription?.endpoint, before.subscription?.endpoint);
  assert.equal(now.subscription?.endpoint, rig.subscription()?.endpoint);
  // The service checks that it is signed with the key that the browser gave.
  await sendTest(await rig.openApp('/notifications'));
});

/* As it is when the master keys are lost: no gateway can open it. */
function spoilKey(): void {
  const path = join(dirname(rig.gateway.directory), 'state', 'control.db');
  using database = new DatabaseSync(path);
  const { changes } = database.prepare("UPDATE push_keys SET private_enc = 'lost'").run();
  assert.equal(changes, 1);
}

for (const how of ['signing out', 'being revoked elsewhere'] as const) {
  test(`nothing secret is in a notification, and ${how} leaves no subscription and no notification`, async () => {
    const page = await rig.openApp('/notifications');
    if (rig.subscription() === null) await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('This device is told.').waitFor();
    await sendTest(page);
    const cookie = (await rig.phone.context.cookies()).find(({ name }) => name === '__Host-clf');
    assert.ok(cookie !== undefined);
    const kept = await readKept(page);
    assert.ok(kept.places['notifications']?.includes(tested), 'notifications are looked at');
    assert.deepEqual(placesWith(kept, [decodeURIComponent(cookie.value)]), []);
    const endpoint = rig.subscription()?.endpoint ?? '';
    assert.deepEqual(placesWith(kept, [endpoint]), [], 'it is as good as a password');

    const leave = how === 'signing out' ? signOut : revoke;
    await leave(page);
    await page.getByLabel('Login link').waitFor();
    await rig.desktop.untilEmpty();
    await until('no subscription', async () => (rig.subscription() === null ? true : undefined));
    assert.equal((await readKept(page)).places['notifications'], undefined);
    const { items } = await rig.gateway.client.auth.devices({ query: { limit: 100 } });
    assert.deepEqual(
      items.filter(({ push }) => push !== null),
      [],
      'the gateway has none either',
    );
  });
}

async function signOut(page: Page): Promise<void> {
  await page.evaluate(() => history.pushState(null, '', '/more'));
  await page.getByRole('button', { name: 'Sign out here' }).click();
}

async function revoke(): Promise<void> {
  const { auth } = rig.gateway.client;
  const { items } = await auth.devices({ query: { limit: 100 } });
  for (const { id, push } of items) if (push !== null) await auth.revokeDevice({ params: { id } });
}

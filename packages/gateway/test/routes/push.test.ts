/*
 * Push over HTTP: only a device subscribes, for itself, at a push service; and it ends with the device.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPushService, type PushService } from '@clawdfather/testkit';
import { createAsk } from '../fixtures/api-client.ts';
import { addDevice, openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';

async function openRig() {
  const service = await openPushService();
  const rig = await openTestGateway({
    config: {
      publicUrl: 'https://clawd.example.org',
      notify: { push: { services: [service.origin], contact: 'mailto:me@your-domain.org' } },
    },
  });
  return {
    rig,
    service,
    me: clientOf(rig, rig.owner.token, service),
    [Symbol.asyncDispose]: async () => {
      await rig[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

function clientOf({ url }: TestGateway, token: string, service: PushService) {
  const ask = createAsk({ url, owner: { token } });
  const look = async () => (await ask('GET', 'push')).body;
  return {
    ask,
    look,
    /* As the app does it; another browser each time, unless one is given. */
    subscribe: async (browser?: ReturnType<PushService['subscribe']>, more: object = {}) => {
      const { key_id, public_key } = await look();
      const made = browser ?? service.subscribe(public_key);
      const { endpoint, keys } = made;
      const body = { key_id, endpoint, expirationTime: null, keys, ...more };
      return { browser: made, ...(await ask('POST', 'push/subscription', { body })) };
    },
  };
}

test('a device subscribes, is shown so, tries it, chooses, and ends it', async () => {
  await using all = await openRig();
  const { me, service, rig } = all;
  assert.equal((await me.look()).subscription, null);
  assert.equal((await me.ask('POST', 'push/test')).status, 404);
  const { status, body, browser } = await me.subscribe();
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(Object.values(body.classes), [true, true, true, true, true]);
  const { subscription, key_id: keyId } = await me.look();
  assert.equal(subscription.endpoint, browser.endpoint);
  assert.equal(subscription.key_id, keyId);

  const tried = await me.ask('POST', 'push/test');
  assert.equal(tried.body.outcome, 'sent', JSON.stringify(tried.body));
  const [push] = service.taken;
  assert.equal(push?.payload.notification.data.class, 'test');
  assert.equal(push?.payload.notification.navigate, 'https://clawd.example.org/notifications');
  assert.equal(push?.claims.sub, 'mailto:me@your-domain.org');

  const changed = await me.ask('PATCH', 'push/subscription', {
    body: { classes: { done: false } },
  });
  assert.equal(changed.body.classes.done, false);
  assert.equal(changed.body.classes.approval, true);
  // Subscribing again, as the app does at each start, keeps the choice.
  assert.equal((await me.subscribe(browser)).body.classes.done, false);
  const devices = (await me.ask('GET', 'auth/sessions')).body.items;
  const mine = devices.find((one: { is_current: boolean }) => one.is_current);
  assert.equal(mine.push.classes.done, false);
  assert.notEqual(mine.push.sent_at, null);
  assert.ok(!JSON.stringify(devices).includes(browser.endpoint));

  assert.equal((await me.ask('DELETE', 'push/subscription')).status, 204);
  assert.equal((await me.look()).subscription, null);
  assert.equal((await me.ask('PATCH', 'push/subscription', { body: { classes: {} } })).status, 404);
  const entries = (await me.ask('GET', 'audit?limit=100')).body.entries;
  const actions = entries.map(({ action }: { action: string }) => action);
  for (const [action, count] of [
    ['push.subscribe', 1],
    ['push.update', 1],
    ['push.unsubscribe', 1],
  ] as const) {
    assert.equal(actions.filter((one: string) => one === action).length, count, action);
  }
  assert.ok(!JSON.stringify(entries).includes(browser.endpoint), 'no address in the audit log');
  void rig;
});

test('a push that the service refuses says so at the test, and at the device', async () => {
  await using all = await openRig();
  const { me, service } = all;
  await me.subscribe();
  service.answerWith((response) => {
    response.statusCode = 403;
    response.end('BadJwtToken');
    return true;
  });
  const { body } = await me.ask('POST', 'push/test');
  assert.deepEqual([body.outcome, body.reason], ['failed', 'status 403']);
  assert.equal((await me.look()).subscription.failure, 'status 403');
  service.answerWith((response) => {
    response.statusCode = 410;
    response.end();
    return true;
  });
  assert.equal((await me.ask('POST', 'push/test')).body.outcome, 'failed');
  assert.equal((await me.look()).subscription, null);
});

test('a token cannot subscribe, ask for the key, or say that somebody looks', async () => {
  await using all = await openRig();
  const { me, rig, service } = all;
  const scopes = ['read', 'run', 'approve', 'admin'];
  const { body } = await me.ask('POST', 'auth/tokens', { body: { label: 'agent', scopes } });
  const { ask } = clientOf(rig, body.token, service);
  const { public_key } = await me.look();
  const browser = service.subscribe(public_key);
  for (const [method, path, sent] of [
    ['GET', 'push', undefined],
    ['POST', 'push/subscription', { key_id: '0'.repeat(16), ...browser }],
    ['PATCH', 'push/subscription', { classes: {} }],
    ['DELETE', 'push/subscription', undefined],
    ['POST', 'push/test', undefined],
    ['POST', 'presence', { state: 'visible' }],
  ] as const) {
    const { status } = await ask(method, path, sent === undefined ? {} : { body: sent });
    assert.equal(status, 403, `${method} ${path}`);
  }
});

test('addresses that are no push service are refused, whatever they are', async () => {
  await using all = await openRig();
  const { me, rig, service } = all;
  const { key_id, public_key } = await me.look();
  const { keys } = service.subscribe(public_key);
  for (const endpoint of [
    `${rig.url}/api/v1/runs`,
    'http://127.0.0.1:1/x',
    'https://2130706433/x',
    'https://0x7f000001/x',
    'https://[::ffff:127.0.0.1]/x',
    'https://169.254.169.254/latest/meta-data',
    'https://fcm.googleapis.com.evil.example/x',
    'http://fcm.googleapis.com/x',
    'https://fcm.googleapis.com:8443/x',
    'file:///etc/passwd',
    'x',
  ]) {
    const { status, body } = await me.ask('POST', 'push/subscription', {
      body: { key_id, endpoint, keys },
    });
    assert.equal(status, 403, endpoint);
    assert.equal(body.error.code, 'push_endpoint_refused', endpoint);
  }
  assert.equal((await me.look()).subscription, null);
});

test('keys that are none, and a key that is not ours, are refused', async () => {
  await using all = await openRig();
  const { me, service } = all;
  const { public_key } = await me.look();
  const browser = service.subscribe(public_key);
  const keys = { ...browser.keys, p256dh: `B${'A'.repeat(86)}` };
  const bad = await me.subscribe({ ...browser, keys });
  assert.deepEqual([bad.status, bad.body.error.code], [400, 'validation_error']);
  const old = await me.subscribe(browser, { key_id: '0123456789abcdef' });
  assert.deepEqual([old.status, old.body.error.code], [409, 'push_key_changed']);
});

test('the subscription ends with its device: signed out, revoked, or one of all others', async () => {
  await using all = await openRig();
  const { rig, service, me } = all;
  const { gateway, owner } = rig;
  const { push } = gateway.store.forAccount(owner.accountId);
  /* Gone from the database, and not only left out because its device is. */
  const checkGone = async ({ deviceId }: { readonly deviceId: string }) =>
    assert.equal(await push.get(deviceId), undefined);
  const newDevice = async () => {
    const device = await addDevice(gateway, owner.accountId);
    const client = clientOf(rig, device.token, service);
    assert.equal((await client.subscribe()).status, 200);
    return { ...device, ...client };
  };
  const one = await newDevice();
  assert.ok(await push.get(one.deviceId));
  assert.equal((await one.ask('DELETE', 'auth/session')).status, 204);
  await checkGone(one);
  const two = await newDevice();
  assert.equal((await me.ask('DELETE', `auth/sessions/${two.deviceId}`)).status, 204);
  await checkGone(two);
  const others = [await newDevice(), await newDevice()];
  await me.subscribe();
  assert.equal((await me.ask('DELETE', 'auth/sessions')).body.revoked, 2);
  for (const other of others) await checkGone(other);
  assert.ok(await push.get(owner.deviceId));
});

test('a device that signs in again keeps its subscription and its choice', async () => {
  await using all = await openRig();
  const { rig, service, me } = all;
  const { browser } = await me.subscribe(undefined, { classes: { done: false } });
  const link = new URL(await rig.gateway.createLoginLink()).hash.split('=').at(-1);
  const { status, body } = await me.ask('POST', 'auth/login-link', { body: { link } });
  assert.equal(status, 200, JSON.stringify(body));
  const again = clientOf(rig, body.token, service);
  const { subscription } = await again.look();
  assert.equal(subscription.endpoint, browser.endpoint);
  assert.equal(subscription.classes.done, false);
  assert.equal((await me.ask('GET', 'push')).status, 401);
});

test('who signs in on the browser of another takes its notifications over', async () => {
  await using all = await openRig();
  const { rig, service, me } = all;
  const { browser } = await me.subscribe();
  const them = clientOf(rig, rig.other.token, service);
  assert.equal((await them.subscribe(browser)).status, 200);
  assert.equal((await me.look()).subscription, null);
  assert.equal((await them.look()).subscription.endpoint, browser.endpoint);
});

test('a device that says it is looked at gets no push until it says that it is not', async () => {
  await using all = await openRig();
  const { me, service, rig } = all;
  await me.subscribe();
  const said = await me.ask('POST', 'presence', { body: { state: 'visible' } });
  assert.equal(said.status, 200);
  const leftMs = Date.parse(said.body.visible_until) - Date.now();
  assert.ok(leftMs > said.body.again_after_ms && leftMs <= 90_000, `${leftMs}`);
  const { notices } = rig.gateway.store.forAccount(rig.owner.accountId);
  await notices.tell({ notices: [{ class: 'approval', key: 'a', subjectId: 'a' }] });
  const delivery = async () => (await me.ask('GET', 'notices')).body.items[0].deliveries[0];
  while ((await delivery())?.reason !== 'looked at');
  assert.equal((await delivery()).device_id, rig.owner.deviceId);
  const hidden = await me.ask('POST', 'presence', { body: { state: 'hidden' } });
  assert.equal(hidden.body.visible_until, null);
  await service.untilTaken(1);
  while ((await delivery()).state !== 'sent');
  assert.equal(service.taken.length, 1);
});

/*
 * Subscriptions of devices on both databases: how many there may be, and what a push to one is decided by.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whetherToPush } from '../../src/system/device-looks.ts';
import { lookedMs, visibleMs } from '../../src/limits.ts';
import { onBoth } from '../backends.ts';
import { audit, createAccount } from '../world.ts';
import { subscription } from './calls.ts';

onBoth('an account has so many subscriptions and no more; the oldest goes', async ({ open }) => {
  const store = await open();
  const account = await createAccount(store, 'ann');
  const ids: string[] = [];
  for (let index = 0; index < 34; index += 1) {
    const device = { tokenHash: `hash-${index}`, device: 'phone', audit };
    const { id: deviceId } = await account.devices.create(device);
    await account.push.put({ ...subscription(`${index}`), deviceId });
    ids.push(deviceId);
  }
  const kept = (await account.push.list()).map(({ deviceId }) => deviceId);
  assert.equal(kept.length, 32);
  assert.ok(kept.includes(ids.at(-1) ?? ''), 'the newest is there');
});

onBoth('a device that has ended cannot subscribe, nor say that somebody looks', async (backend) => {
  const store = await backend.open();
  const account = await createAccount(store, 'ann');
  const { id: deviceId } = await account.devices.create({ tokenHash: 'h', device: 'phone', audit });
  await account.devices.revoke({ id: deviceId, audit });
  assert.equal(await account.push.put({ ...subscription('x'), deviceId }), undefined);
  assert.equal(await account.presence.report({ deviceId, isVisible: true }), undefined);
  assert.deepEqual(await account.push.list(), []);
});

onBoth(
  'of several first keys one is kept, and one that is gone is replaced once',
  async (backend) => {
    const store = await backend.open();
    const { push } = store.system;
    const keyOf = (id: string) => ({ id, publicKey: `public-${id}`, privateEnc: `sealed-${id}` });
    const kept = await Promise.all(['a', 'b', 'c'].map((id) => push.keepKey({ key: keyOf(id) })));
    assert.equal(new Set(kept.map(({ id }) => id)).size, 1);
    const replaces = kept[0]?.id ?? assert.fail();
    const next = await Promise.all(
      ['d', 'e', 'f'].map((id) => push.keepKey({ key: keyOf(id), replaces })),
    );
    assert.equal(new Set(next.map(({ id }) => id)).size, 1);
    assert.notEqual(next[0]?.id, replaces);
    assert.equal((await push.key())?.id, next[0]?.id);
  },
);

onBoth('what was put off for a device that signs in again is told to it, once', async (backend) => {
  const store = await backend.open();
  const account = await createAccount(store, 'ann');
  const { id: before } = await account.devices.create({ tokenHash: 'h1', device: 'phone', audit });
  await account.push.put({ ...subscription('x'), deviceId: before });
  for (const key of ['in hand', 'put off']) {
    await account.notices.tell({ notices: [{ class: 'approval', key, subjectId: key }] });
  }
  const { notices, push } = store.system;
  await notices.plan({ channels: [], ageMsMax: 60_000, limit: 9 });
  const sender = { instanceId: 'gateway-a', generation: 1 };
  const bounds = { attemptsMax: 9, ageMsMax: 86_400_000, limit: 1 };
  const input = { channels: ['push'], sender, holdMs: 60_000, pauseMsMax: 900_000, ...bounds };
  const [inHand] = await notices.take(input);
  assert.ok(inHand);
  const signedIn = { id: before, tokenHash: 'h2', device: 'phone', audit };
  const { id: after } = (await account.devices.replace(signedIn)) ?? assert.fail();
  assert.ok(await notices.settle(inHand, { state: 'sent' }), 'it is still that one');
  const [putOff, ...others] = await notices.take({ ...input, limit: 9 });
  assert.deepEqual(others, []);
  assert.notEqual(putOff?.noticeId, inHand.noticeId);
  assert.equal(putOff?.deviceId, after);
  assert.ok(await push.subscriptionOf({ ...putOff, deviceId: after }));
});

test('whether a device is pushed to follows from who looks, since when, and what it is about', () => {
  const nowMs = 1_000_000_000;
  const fresh = { class: 'done', createdAtMs: nowMs } as const;
  assert.deepEqual(whetherToPush(fresh, nowMs), { push: 'now' });
  assert.deepEqual(whetherToPush({ ...fresh, visibleUntilMs: nowMs }, nowMs), { push: 'now' });
  const visibleUntilMs = nowMs + 10_000;
  const later = { push: 'later', reason: 'looked at', dueAtMs: visibleUntilMs };
  assert.deepEqual(whetherToPush({ ...fresh, visibleUntilMs }, nowMs), later);
  const older = { class: 'done', createdAtMs: nowMs - lookedMs + 1_000, visibleUntilMs } as const;
  assert.deepEqual(whetherToPush(older, nowMs), { ...later, dueAtMs: nowMs + 1_000 });
  const shown = { ...older, createdAtMs: nowMs - lookedMs };
  assert.deepEqual(whetherToPush(shown, nowMs), { push: 'never', reason: 'looked at' });
  assert.deepEqual(whetherToPush({ ...shown, class: 'approval' }, nowMs), later);
  const seen = { ...fresh, seenAtMs: nowMs };
  assert.deepEqual(whetherToPush(seen, nowMs), { push: 'never', reason: 'seen' });
  // Written before the clock was set back by hours.
  const jumped = { ...fresh, visibleUntilMs: nowMs + visibleMs + 1 };
  assert.deepEqual(whetherToPush(jumped, nowMs), { push: 'now' });
  assert.ok(lookedMs > visibleMs, 'a page that went to sleep is told');
});

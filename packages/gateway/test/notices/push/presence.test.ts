/*
 * A device that somebody looks at gets no push; one that is put away is told of what still wants a person.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPushRig, openSender, type PushRig } from './push-rig.ts';

function report(rig: PushRig, deviceId: string, isVisible: boolean) {
  return rig.store.forAccount(rig.ownerId).presence.report({ deviceId, isVisible });
}

/* Until a sender has looked, and put off or settled every push. */
async function untilLooked(rig: PushRig): Promise<void> {
  for (;;) {
    const all = await rig.deliveries();
    if (all.length > 0 && all.every(({ state, reason }) => state !== 'pending' || reason)) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('the device that is looked at is not pushed to, the others are', async () => {
  await using rig = await openPushRig();
  const looked = await rig.subscribe();
  const away = await rig.subscribe();
  await report(rig, looked, true);
  await using _sender = openSender(rig);
  await rig.notice({ class: 'approval', id: 'a' });
  await rig.untilSettled(1);
  await untilLooked(rig);
  const states = (await rig.deliveries()).map(({ deviceId, state, reason, attempts }) =>
    [deviceId, state, attempts, reason].join(' '),
  );
  assert.deepEqual(
    states.toSorted(),
    [`${looked} pending 0 looked at`, `${away} sent 1 `].toSorted(),
  );
  assert.equal(rig.service.taken.length, 1);
});

test('what was put off is sent at once when the device is put away', async () => {
  await using rig = await openPushRig();
  const deviceId = await rig.subscribe();
  await report(rig, deviceId, true);
  await using _sender = openSender(rig);
  await rig.notice({ class: 'done', id: 'd' });
  await untilLooked(rig);
  await report(rig, deviceId, false);
  await rig.service.untilTaken(1);
  await rig.untilSettled(1);
  assert.equal(rig.service.taken.length, 1);
});

test('a page that went to sleep and says nothing more counts as looked at for a while only', async () => {
  await using rig = await openPushRig();
  const deviceId = await rig.subscribe();
  await report(rig, deviceId, true);
  await using _sender = openSender(rig);
  await rig.notice({ class: 'done', id: 'd' });
  await untilLooked(rig);
  assert.equal(rig.service.taken.length, 0);
  rig.later(76_000);
  await rig.wake();
  await rig.service.untilTaken(1);
});

test('what was answered or seen meanwhile is not sent when the device is put away', async () => {
  await using rig = await openPushRig();
  const deviceId = await rig.subscribe();
  await report(rig, deviceId, true);
  await using _sender = openSender(rig);
  await rig.notice({ class: 'approval', id: 'answered' });
  await rig.notice({ class: 'question', id: 'seen' });
  await untilLooked(rig);
  const { notices } = rig.store.forAccount(rig.ownerId);
  const { items } = await notices.list();
  const seen = items.find(({ subjectId }) => subjectId === 'seen') ?? assert.fail();
  await notices.see(seen.id);
  await notices.tell({ resolves: [{ as: 'answered', key: 'key:answered' }] });
  await report(rig, deviceId, false);
  await rig.untilSettled(2);
  const reasons = (await rig.deliveries()).map(({ reason }) => String(reason));
  assert.deepEqual(reasons.toSorted(), ['resolved', 'seen']);
  assert.equal(rig.service.taken.length, 0);
});

test('after two minutes before a person, what only wants to be seen was seen; what waits for an answer waits on', async () => {
  await using rig = await openPushRig();
  const deviceId = await rig.subscribe();
  await report(rig, deviceId, true);
  await using _sender = openSender(rig);
  for (const one of ['approval', 'question', 'done', 'failed', 'host_lost'] as const) {
    await rig.notice({ class: one, id: one });
  }
  await untilLooked(rig);
  // Its page says every half minute that it is looked at.
  for (let times = 0; times < 5; times += 1) {
    rig.later(30_000);
    await report(rig, deviceId, true);
  }
  await rig.wake();
  await rig.untilSettled(3);
  const skipped = (await rig.deliveries()).filter(({ state }) => state === 'skipped');
  assert.deepEqual(skipped.map((one) => `${one.class}: ${one.reason}`).toSorted(), [
    'done: looked at',
    'failed: looked at',
    'host_lost: looked at',
  ]);
  await report(rig, deviceId, false);
  await rig.service.untilTaken(2);
  await rig.untilSettled(5);
  const classes = rig.service.taken.map(({ payload }) => String(payload.notification.data.class));
  assert.deepEqual(classes.toSorted(), ['approval', 'question']);
});

test('more pushes than are looked at in one go are put off without keeping others from being sent', async () => {
  await using rig = await openPushRig();
  const looked = await rig.subscribe();
  await report(rig, looked, true);
  for (let index = 0; index < 20; index += 1) {
    await rig.notice({ class: 'approval', id: `${index}` });
  }
  const away = await rig.subscribe();
  assert.ok(away);
  await using _sender = openSender(rig);
  await rig.service.untilTaken(20);
  assert.equal(rig.service.taken.length, 20);
});

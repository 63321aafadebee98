/*
 * A push service that never answers, beside one that does: it keeps a few places, and nobody waits for it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAccountId } from '@clawdfather/store';
import { openPushService, type PushService } from '@clawdfather/testkit';
import { audit, openPushRig, openSender, type PushRig, pushOver } from './push-rig.ts';

/* How many requests it holds; none of them is ever answered. */
function hang(service: PushService): () => number {
  let held = 0;
  service.answerWith(() => {
    held += 1;
    return true;
  });
  return () => held;
}

async function memberOf({ store }: PushRig) {
  const profile = {
    provider: 'github',
    providerUserId: '7',
    login: 'm',
    displayName: 'M',
  } as const;
  const signedIn = await store.system.accounts.signIn({ profile, mayCreate: true, audit });
  assert.equal(signedIn.outcome, 'created');
  return parseAccountId(signedIn.account.id);
}

test('devices at another service are told at once, also of what comes while the first one hangs', async () => {
  await using rig = await openPushRig();
  await using hanging = await openPushService();
  const held = hang(hanging);
  const push = pushOver(rig.store, rig.service, { others: [hanging] });
  for (let device = 0; device < 12; device += 1) await rig.subscribe(rig.ownerId, {}, hanging);
  await using _sender = openSender({ ...rig, push });
  await rig.notice({ class: 'approval', id: 'first' });
  await hanging.untilAsked(3);
  // Due after all the others.
  await rig.subscribe();
  for (let count = 1; count <= 5; count += 1) {
    await rig.notice({ class: 'done', id: `${count}` });
    await rig.service.untilTaken(count);
  }
  assert.equal(held(), 3, 'none of them was given up meanwhile, and no other was begun');
  await rig.untilSettled(5);
  const states = (await rig.deliveries()).map(({ state }) => state);
  assert.equal(states.filter((state) => state === 'sending').length, 3);
  assert.deepEqual(rig.service.refused, []);
});

test('an account whose services all hang keeps nobody from another one', async () => {
  await using rig = await openPushRig();
  await using first = await openPushService();
  await using second = await openPushService();
  await using third = await openPushService();
  const all = [first, second, third];
  const held = all.map(hang);
  const push = pushOver(rig.store, rig.service, { others: all });
  for (const service of all) {
    for (let device = 0; device < 4; device += 1) await rig.subscribe(rig.ownerId, {}, service);
  }
  const memberId = await memberOf(rig);
  await rig.subscribe(memberId);
  await using _sender = openSender({ ...rig, push });
  await rig.notice({ class: 'approval', id: 'a' });
  const heldInAll = (): number => held.reduce((sum, one) => sum + one(), 0);
  while (heldInAll() < 4) await new Promise((resolve) => setTimeout(resolve, 5));
  const mine = rig.store.forAccount(memberId).notices;
  await mine.tell({ notices: [{ class: 'done', key: 'x', subjectId: 'x' }] });
  await rig.service.untilTaken(1);
  await rig.untilSettled(1, memberId);
  assert.equal(heldInAll(), 4);
  assert.equal((await rig.deliveries(memberId))[0]?.state, 'sent');
});

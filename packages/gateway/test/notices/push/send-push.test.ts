/*
 * A notice reaches each device that has subscribed, once: wherever the sender dies, with two gateways, and whatever the push service says. What
 * it is about does not leave the gateway.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { type Clock, createSystemRandom } from '@clawdfather/kit';
import { createMasterKms, type Kms } from '@clawdfather/ssh';
import { openStore, parseAccountId } from '@clawdfather/store';
import { type PushService, usePostgres } from '@clawdfather/testkit';
import type { SenderPoint } from '../../../src/notices/notice-sender.ts';
import { audit, openPushRig, openSender, type PushRig, publicUrl, pushOver } from './push-rig.ts';

const postgres = usePostgres();

/* One for each notice and browser. */
const wholesOf = ({ taken }: PushService) =>
  taken.map(({ endpoint, payload }) => `${endpoint} ${payload.notification.data.notice_id}`);

test('a push says class, ids and a count, and leads to the thing itself', async () => {
  await using rig = await openPushRig();
  await rig.subscribe();
  await using _sender = openSender(rig);
  const notices = [
    { class: 'approval', id: 'command-1', path: '/approvals/command-1', urgency: 'high' },
    { class: 'approval', id: 'ask-1', threadId: 't1', path: '/asks/ask-1', urgency: 'high' },
    { class: 'question', id: 'ask-2', threadId: 't1', path: '/asks/ask-2', urgency: 'high' },
    { class: 'failed', id: 'turn-1', threadId: 't1', path: '/threads/t1', urgency: 'normal' },
    { class: 'done', id: 'turn-2', threadId: 't2', path: '/threads/t2', urgency: 'normal' },
    { class: 'host_lost', id: 'c1', path: '/hosts/c1', urgency: 'normal' },
  ] as const;
  for (const [index, { path, urgency, ...notice }] of notices.entries()) {
    await rig.notice(notice);
    await rig.service.untilTaken(index + 1);
    const { payload, headers } = rig.service.taken[index] ?? assert.fail();
    assert.equal(payload.web_push, 8030);
    assert.equal(payload.notification.navigate, `${publicUrl}${path}`);
    assert.equal(payload.notification.data.class, notice.class);
    assert.equal(payload.notification.data.about, notice.id);
    assert.equal(headers['urgency'], urgency);
    // What is done and what is lost need nobody, as the inbox counts it.
    assert.equal(payload.app_badge, Math.min(index + 1, 4));
  }
  const { headers, claims } = rig.service.taken[0] ?? assert.fail();
  assert.equal(headers['ttl'], '86400');
  assert.equal(claims.sub, publicUrl);
  assert.deepEqual(rig.service.refused, []);
  // All are equally long.
  assert.equal(new Set(rig.service.taken.map(({ body }) => body.length)).size, 1);
});

test('no title, prompt or command is in a push, even where the settings show titles elsewhere', async () => {
  await using rig = await openPushRig();
  await rig.subscribe();
  const mine = rig.store.forAccount(rig.ownerId);
  const canary = 'canary-4711';
  const made = { agent: 'echo', cwd: `/${canary}`, title: canary, instanceId: 'gateway-a' };
  const { id: threadId } = (await mine.threads.create(made)).thread;
  await mine.notices.tell({
    notices: (['approval', 'question', 'failed', 'done'] as const).map((one) => ({
      class: one,
      key: one,
      subjectId: one,
      threadId,
      detail: { host: canary, code: canary, command: canary },
    })),
  });
  await using _sender = openSender(rig);
  await rig.service.untilTaken(4);
  for (const { text, headers } of rig.service.taken) {
    assert.ok(!text.includes(canary), text);
    assert.ok(!JSON.stringify(headers).includes(canary));
  }
});

test('a sender that dies at any point leaves each device told once; twice only where nobody can know, and then the second replaces the first', async () => {
  for (let dieAt = 1; ; dieAt += 1) {
    await using rig = await openPushRig();
    await rig.subscribe();
    await rig.subscribe();
    await rig.notice({ class: 'approval', id: 'a' });
    await rig.notice({ class: 'done', id: 'b', threadId: 't' });
    let points = 0;
    let died: SenderPoint | undefined;
    let hasBegun = false;
    const dead = Promise.withResolvers<void>();
    const first = openSender(rig, {
      onPoint: (point) => {
        points += 1;
        if (died === undefined && points < dieAt) {
          hasBegun ||= point === 'taken';
          return;
        }
        // From here on it does nothing more, as after a kill.
        died ??= point;
        dead.resolve();
        throw new Error('killed');
      },
    });
    await Promise.race([dead.promise, rig.untilSettled(4)]);
    await first[Symbol.asyncDispose]();
    // Of those that it had begun and not settled nobody can know.
    const left = (await rig.deliveries()).filter(({ state }) => state === 'sending').length;
    await using _second = openSender(rig, { generation: 2 });
    await rig.untilSettled(4);
    const wholes = wholesOf(rig.service);
    assert.equal(new Set(wholes).size, 4, `died at ${dieAt}, ${died}`);
    assert.ok(wholes.length - 4 <= (hasBegun ? left : 0), `${wholes.length}, died at ${died}`);
    // What is sent twice has the same topic at the service, and the same tag on the screen.
    const names = rig.service.taken.map(({ endpoint, payload, headers }) =>
      [endpoint, headers['topic'], payload.notification.tag].join(' '),
    );
    assert.equal(new Set(names).size, 4);
    const states = (await rig.deliveries()).map(({ state }) => state);
    assert.deepEqual(states, ['sent', 'sent', 'sent', 'sent']);
    assert.deepEqual(rig.service.refused, []);
    if (died === undefined) break;
  }
});

test('two gateways on one PostgreSQL have one key, and tell each device once', {
  skip: postgres.skip,
}, async () => {
  const { connectionString } = await postgres.server.createDatabase();
  const location = { kind: 'postgres', connectionString } as const;
  await using rig = await openPushRig(location);
  const { clock, service } = rig;
  await using other = await openStore(location, { clock, random: createSystemRandom() });
  const push = pushOver(other, service);
  const keys = await Promise.all([rig.push.keys.current(), push.keys.current()]);
  assert.equal(keys[0]?.id, keys[1]?.id);
  for (let device = 0; device < 3; device += 1) await rig.subscribe();
  await using _first = openSender(rig, { instanceId: 'gateway-a' });
  await using _second = openSender({ store: other, push, clock }, { instanceId: 'gateway-b' });
  for (let index = 0; index < 10; index += 1) await rig.notice({ class: 'failed', id: `${index}` });
  await rig.untilSettled(30);
  const wholes = wholesOf(service);
  assert.equal(wholes.length, 30);
  assert.equal(new Set(wholes).size, 30);
  assert.deepEqual(service.refused, []);
});

test('members are told on their devices, and nobody on those of others', async () => {
  await using rig = await openPushRig();
  const { store, service } = rig;
  const signedIn = await store.system.accounts.signIn({
    profile: { provider: 'github', providerUserId: '7', login: 'm', displayName: 'M' },
    mayCreate: true,
    audit,
  });
  assert.equal(signedIn.outcome, 'created');
  const memberId = parseAccountId(signedIn.account.id);
  await rig.subscribe();
  const theirs = await rig.subscribe(memberId);
  const { endpoint } = (await store.forAccount(memberId).push.get(theirs)) ?? assert.fail();
  await using _sender = openSender(rig);
  await store.forAccount(memberId).notices.tell({
    notices: [{ class: 'done', key: 'x', subjectId: 'x' }],
  });
  await service.untilTaken(1);
  assert.deepEqual(
    service.taken.map((one) => one.endpoint),
    [endpoint],
  );
  await rig.untilSettled(1, memberId);
  assert.equal((await rig.deliveries()).length, 0);
  assert.equal((await rig.deliveries(memberId))[0]?.state, 'sent');
});

test('a device is told of the classes that it has chosen', async () => {
  await using rig = await openPushRig();
  const all = await rig.subscribe();
  const few = await rig.subscribe(rig.ownerId, { done: false });
  await using _sender = openSender(rig);
  await rig.notice({ class: 'done', id: 'd' });
  await rig.untilSettled(2);
  const ends = (await rig.deliveries()).map(({ deviceId, state, reason }) =>
    [deviceId, state, reason].join(' '),
  );
  assert.deepEqual(ends.toSorted(), [`${all} sent `, `${few} skipped off`].toSorted());
});

for (const status of [404, 410]) {
  test(`a browser that is gone (${status}) is not subscribed any more, and nothing else is sent to it`, async () => {
    await using rig = await openPushRig();
    const deviceId = await rig.subscribe();
    rig.service.answerWith((response) => {
      response.statusCode = status;
      response.end();
      return true;
    });
    await using _sender = openSender(rig);
    await rig.notice({ class: 'approval', id: 'a' });
    await rig.untilSettled(1);
    await rig.untilSubscription(deviceId, (subscription) => subscription === undefined);
    await rig.notice({ class: 'approval', id: 'b' });
    await rig.wake();
    const [only, ...others] = await rig.deliveries();
    assert.deepEqual(others, []);
    assert.equal(only?.state, 'failed');
    assert.equal(only?.reason, `status ${status}`);
  });
}

for (const status of [400, 403, 413, 302]) {
  test(`a refusal (${status}) is final, and its reason is kept for the person`, async () => {
    await using rig = await openPushRig();
    const deviceId = await rig.subscribe();
    rig.service.answerWith((response) => {
      response.writeHead(status, { location: `${rig.service.origin}/elsewhere` });
      response.end('x'.repeat(100_000));
      return true;
    });
    await using _sender = openSender(rig);
    await rig.notice({ class: 'approval', id: 'a' });
    await rig.untilSettled(1);
    const [delivery] = await rig.deliveries();
    const reason = status === 302 ? 'redirect' : `status ${status}`;
    assert.deepEqual(
      [delivery?.state, delivery?.reason, delivery?.attempts],
      ['failed', reason, 1],
    );
    await rig.untilSubscription(deviceId, (kept) => kept?.failure === reason);
    // The next one that is taken mends it.
    rig.service.answerWith(() => false);
    await rig.notice({ class: 'approval', id: 'b' });
    await rig.service.untilTaken(1);
    await rig.untilSettled(2);
    const mended = await rig.untilSubscription(deviceId, (kept) => kept?.failure === undefined);
    assert.ok(mended?.sentAtMs);
  });
}

test('a service that is busy (429, 503) is asked again, under the same topic', async () => {
  await using rig = await openPushRig();
  await rig.subscribe();
  const codes = [429, 503];
  rig.service.answerWith((response) => {
    const code = codes.shift();
    if (code === undefined) return false;
    response.writeHead(code, { 'retry-after': '1' });
    response.end();
    return true;
  });
  await using _sender = openSender(rig);
  await rig.notice({ class: 'approval', id: 'a' });
  for (const count of [1, 2]) {
    await rig.service.untilAsked(count);
    while (!(await rig.deliveries()).some(({ state }) => state === 'pending')) await rig.wake();
    // What is put off by seconds is due at once.
    rig.later(60_000);
    await rig.wake();
  }
  await rig.untilSettled(1);
  const [delivery] = await rig.deliveries();
  assert.deepEqual([delivery?.state, delivery?.attempts], ['sent', 3]);
  assert.equal(rig.service.taken.length, 1);
});

test('a push that the service has is not sent again where what was learned from it cannot be kept', async () => {
  await using rig = await openPushRig();
  await rig.subscribe();
  const { push } = rig.store.system;
  let refused = 0;
  const noteSent = async () => {
    refused += 1;
    throw new Error('the connection is gone');
  };
  const system = { ...rig.store.system, push: { ...push, noteSent } };
  const parts = pushOver({ ...rig.store, system }, rig.service);
  await using _sender = openSender({ ...rig, push: parts });
  await rig.notice({ class: 'approval', id: 'a' });
  await rig.untilSettled(1);
  // Longer than a delivery is held.
  rig.later(120_000);
  await rig.notice({ class: 'approval', id: 'b' });
  await rig.untilSettled(2);
  assert.deepEqual([rig.service.taken.length, refused > 0], [2, true]);
  const states = (await rig.deliveries()).map(({ state, attempts }) => `${state} ${attempts}`);
  assert.deepEqual(states, ['sent 1', 'sent 1']);
});

for (const [what, ask, reason] of [
  ['breaks', async () => Promise.reject(new Error('the vault is sealed')), 'gateway'],
  ['never answers', async () => new Promise<never>(() => {}), 'timeout'],
] as const) {
  test(`where the key for a push ${what} it is an attempt that failed, and there are so many of them`, async () => {
    await using rig = await openPushRig();
    await rig.subscribe();
    // The limit of an attempt is over at once, everything else takes its time.
    const clock: Clock = {
      ...rig.clock,
      timer: (ms, fire) => rig.clock.timer(ms === 30_000 ? 0 : ms, fire),
    };
    const keys = createMasterKms(
      [{ id: '0'.repeat(16), bytes: Buffer.alloc(32, 3) }],
      createSystemRandom(),
    );
    const push = pushOver(rig.store, rig.service, { kms: { ...keys, unwrap: ask } });
    await using _sender = openSender({ ...rig, push, clock });
    await rig.notice({ class: 'approval', id: 'a' });
    for (let attempt = 1; attempt < 10; attempt += 1) {
      while (!(await isPending(rig, attempt))) await rig.wake();
      // Whatever it was put off by is over.
      rig.later(16 * 60_000);
      await rig.wake();
    }
    await rig.untilSettled(1);
    const [delivery] = await rig.deliveries();
    assert.deepEqual(
      [delivery?.state, delivery?.reason, delivery?.attempts],
      ['failed', reason, 10],
    );
    assert.equal(rig.service.taken.length, 0);
  });
}

async function isPending(rig: PushRig, attempts: number): Promise<boolean> {
  const [delivery] = await rig.deliveries();
  return delivery?.state === 'pending' && delivery.attempts === attempts;
}

test('a device that is revoked is not told of what was on its way', async () => {
  await using rig = await openPushRig();
  const deviceId = await rig.subscribe();
  await rig.notice({ class: 'approval', id: 'a' });
  const { system } = rig.store;
  await system.notices.plan({ channels: [], ageMsMax: 60_000, limit: 9 });
  await rig.store.forAccount(rig.ownerId).devices.revoke({ id: deviceId, audit });
  await using _sender = openSender(rig);
  await rig.untilSettled(1);
  const [delivery] = await rig.deliveries();
  assert.deepEqual([delivery?.state, delivery?.reason], ['skipped', 'unsubscribed']);
  assert.equal(rig.service.taken.length, 0);
});

test('a key that cannot be opened is replaced once, and a device that has the old one is not asked for', async () => {
  await using rig = await openPushRig();
  const deviceId = await rig.subscribe();
  const before = await rig.push.keys.current();
  // As after the loss of the master keys.
  await rig.store.system.push.rewrapKey({
    id: before.id,
    from: (await rig.store.system.push.key())?.privateEnc ?? '',
    to: 'clf-envelope.1.ffffffffffffffff.AAAA.AAAA',
  });
  const push = pushOver(rig.store, rig.service);
  const [one, other] = await Promise.all([
    push.keys.current(),
    pushOver(rig.store, rig.service).keys.current(),
  ]);
  assert.notEqual(one.id, before.id);
  assert.equal(one.id, other.id);
  await using _sender = openSender({ ...rig, push });
  await rig.notice({ class: 'approval', id: 'a' });
  await rig.untilSettled(1);
  await rig.untilSubscription(deviceId, (kept) => kept?.failure === 'the key has changed');
  assert.equal(rig.service.refused.length, 0);
});

test('a gateway that lacks the master key of others replaces no key, and pushes when it has it', async () => {
  await using rig = await openPushRig();
  await rig.subscribe();
  const before = await rig.push.keys.current();
  // As its gateway has noted it.
  await rig.store.system.masterKeys.note({ ids: ['0'.repeat(16)], audit });
  const random = createSystemRandom();
  const lacking = createMasterKms([{ id: '1'.repeat(16), bytes: Buffer.alloc(32, 4) }], random);
  let kms = lacking;
  const changing: Kms = {
    currentId: () => kms.currentId(),
    wrap: (key, use) => kms.wrap(key, use),
    unwrap: (wrapped, use) => kms.unwrap(wrapped, use),
  };
  const push = pushOver(rig.store, rig.service, { kms: changing });
  await assert.rejects(push.keys.current(), { code: 'unavailable' });
  await using _sender = openSender({ ...rig, push });
  await rig.notice({ class: 'approval', id: 'a' });
  while (!(await isPending(rig, 1))) await rig.wake();
  assert.equal((await rig.store.system.push.key())?.id, before.id);
  kms = createMasterKms([{ id: '0'.repeat(16), bytes: Buffer.alloc(32, 3) }], random);
  rig.later(60_000);
  await rig.wake();
  await rig.untilSettled(1);
  assert.equal((await rig.deliveries())[0]?.state, 'sent');
  assert.equal((await push.keys.current()).id, before.id);
  // The operator goes on without it.
  const next = pushOver(rig.store, rig.service, { kms: lacking, acceptsLostKeys: true });
  assert.notEqual((await next.keys.current()).id, before.id);
});

test('after a rotation of the master key the key is wrapped by the new one at its next use, without a restart', async () => {
  await using rig = await openPushRig();
  const random = createSystemRandom();
  const keys = [1, 2].map((n) => ({ id: String(n).repeat(16), bytes: Buffer.alloc(32, n) }));
  const [before, after] = [
    createMasterKms([keys[0] ?? assert.fail()], random),
    createMasterKms([keys[1] ?? assert.fail(), keys[0] ?? assert.fail()], random),
  ];
  let kms = before;
  const push = pushOver(rig.store, rig.service, {
    kms: {
      currentId: () => kms.currentId(),
      wrap: (key, use) => kms.wrap(key, use),
      unwrap: (wrapped, use) => kms.unwrap(wrapped, use),
    },
  });
  const masterOf = async () => (await rig.store.system.push.key())?.privateEnc.split('.')[2];
  const key = await push.keys.current();
  assert.equal(await masterOf(), keys[0]?.id);
  kms = after;
  assert.equal((await push.keys.current()).id, key.id);
  assert.equal(await masterOf(), keys[1]?.id);
  // Another gateway opens it without the old one.
  const alone = createMasterKms([keys[1] ?? assert.fail()], random);
  const there = await pushOver(rig.store, rig.service, { kms: alone }).keys.current();
  assert.equal(there.publicKey, key.publicKey);
});

test('the private half of the key is not in the database, and that of another database is another', async () => {
  await using rig = await openPushRig();
  await using other = await openPushRig();
  const { privateKey, publicKey } = await rig.push.keys.current();
  assert.notEqual(publicKey, (await other.push.keys.current()).publicKey);
  assert.ok(rig.location.kind === 'sqlite');
  const log = await readFile(`${rig.location.path}-wal`);
  assert.ok(log.includes(publicKey), 'this is where it would be');
  const { d = '' } = privateKey.export({ format: 'jwk' });
  const secret = Buffer.from(d, 'base64url');
  for (const form of [d, secret, secret.toString('base64'), secret.toString('hex')]) {
    assert.ok(!log.includes(form));
  }
});

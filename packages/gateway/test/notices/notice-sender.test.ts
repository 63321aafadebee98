/*
 * Notices reach each channel once: whatever the server does, wherever the sender dies, and with two gateways on one database. Also after
 * a clock has jumped.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { openStore, parseAccountId, type StoreLocation } from '@clawdfather/store';
import { createFakeClock, usePostgres } from '@clawdfather/testkit';
import { createNtfy } from '../../src/notices/channels/ntfy.ts';
import { createWebhook } from '../../src/notices/channels/webhook.ts';
import { openNoticeSender, type SenderPoint } from '../../src/notices/notice-sender.ts';
import {
  audit,
  type ChannelName,
  idsOf,
  openRig,
  openSender,
  type Rig,
  wake,
} from './notice-rig.ts';
import { openRecordingServer } from './recording-server.ts';

const postgres = usePostgres();

const classes = ['approval', 'question', 'failed', 'done', 'host_lost'] as const;

for (const [channel, kind] of [
  ['webhook', 'sqlite'],
  ['ntfy', 'sqlite'],
  ['webhook', 'postgres'],
  ['ntfy', 'postgres'],
] as const) {
  test(`a sender that dies at any point leaves each notice delivered once; twice under one id only where nobody can know (${channel}, ${kind})`, {
    skip: kind === 'postgres' && postgres.skip,
  }, async () => {
    for (let dieAt = 1; ; dieAt += 1) {
      await using rig = await openRig(createSystemClock(), await locationOf(kind));
      const wanted = [0, 1].map((index) => classes[(dieAt + index) % classes.length]);
      for (const one of wanted) await rig.notice(1, one);
      const died = await dieOnce(rig, { dieAt, channel });
      const posts = idsOf(rig.server);
      assert.equal(new Set(posts).size, 2, `died at ${dieAt}, ${died}`);
      // Only what was answered and not settled is posted again, by the same id.
      if (posts.length > 2)
        assert.ok(['answered', 'settled'].includes(died ?? ''), `${died}: ${posts.length}`);
      const deliveries = await rig.deliveries();
      assert.deepEqual(
        deliveries.map(({ state }) => state),
        ['sent', 'sent'],
      );
      for (const { id, attempts } of deliveries) {
        assert.ok(posts.filter((post) => post === id).length <= attempts, `died at ${dieAt}`);
      }
      const announced = await rig.announced();
      assert.deepEqual([announced.length, new Set(announced).size], [2, 2]);
      if (died === undefined) break;
    }
  });
}

async function locationOf(kind: 'sqlite' | 'postgres'): Promise<StoreLocation | undefined> {
  if (kind === 'sqlite') return undefined;
  const { connectionString } = await postgres.server.createDatabase();
  return { kind, connectionString };
}

/* And again, until both notices are settled. Where it died; undefined: it had no more to do. */
async function dieOnce(
  rig: Rig,
  { dieAt, channel }: { readonly dieAt: number; readonly channel: ChannelName },
): Promise<SenderPoint | undefined> {
  let points = 0;
  let died: SenderPoint | undefined;
  const dead = Promise.withResolvers<void>();
  const first = openSender(rig, {
    channel,
    onPoint: (point) => {
      points += 1;
      if (died === undefined && points < dieAt) return;
      // From here on it does nothing more, as after a kill.
      died ??= point;
      dead.resolve();
      throw new Error('killed');
    },
  });
  await Promise.race([dead.promise, rig.untilSettled(2)]);
  await first[Symbol.asyncDispose]();
  await using _second = openSender(rig, { channel, generation: 2 });
  await rig.untilSettled(2);
  return died;
}

test('a server that fails is tried again under the same id; one that refuses is not', async () => {
  await using rig = await openRig();
  const { server } = rig;
  const codes = [500, 503, 200];
  server.answerWith((response) => {
    response.statusCode = codes.shift() ?? 200;
    response.end();
  });
  const clock = createSystemClock();
  let offsetMs = 0;
  // What is put off by seconds is due at once.
  const hasty: Clock = { ...clock, wallMs: () => clock.wallMs() + offsetMs };
  await using store = await openStore(rig.location, { clock: hasty, random: createSystemRandom() });
  await rig.notice(1);
  await using sender = openSender({ store, server });
  for (const count of [1, 2, 3]) {
    await server.untilPosted(count);
    offsetMs += 60_000;
    // Any news wakes it.
    await wake(store);
  }
  await rig.untilSettled(1);
  const ids = idsOf(server);
  assert.equal(ids.length, 3);
  assert.equal(new Set(ids).size, 1);
  assert.equal((await rig.deliveries())[0]?.attempts, 3);
  void sender;
});

for (const [name, answer, reason] of [
  ['is gone (410)', 410, 'status 410'],
  ['redirects', 302, 'redirect'],
] as const) {
  test(`a server that ${name} is not asked again`, async () => {
    await using elsewhere = await openRecordingServer();
    await using rig = await openRig();
    rig.server.answerWith((response) => {
      response.writeHead(answer, { location: elsewhere.url });
      response.end();
    });
    await rig.notice(1);
    await using sender = openSender(rig);
    await rig.untilSettled(1);
    const [delivery] = await rig.deliveries();
    assert.equal(delivery?.state, 'failed');
    assert.equal(delivery?.reason, reason);
    assert.equal(rig.server.posted.length, 1);
    assert.equal(elsewhere.posted.length, 0);
    void sender;
  });
}

test('an answer of 10 MB is not read, and counts by its status', async () => {
  await using rig = await openRig();
  rig.server.answerWith((response) => {
    response.on('error', () => {});
    response.write('x'.repeat(10 * 1024 * 1024));
    response.end();
  });
  await rig.notice(1);
  await using sender = openSender(rig);
  await rig.untilSettled(1);
  assert.equal((await rig.deliveries())[0]?.state, 'sent');
  void sender;
});

test('a server that hangs is given up after ten seconds, and others are not held up by it', async () => {
  await using rig = await openRig();
  await using other = await openRecordingServer();
  rig.server.answerWith(() => {});
  const clock = createFakeClock();
  const { createChannels } = await import('../../src/notices/open-notices.ts');
  const [hangs, works] = createChannels(
    {
      webhook: { url: rig.server.url, secret: 's' },
      ntfy: { url: other.url, topic: 't' },
    },
    { clock },
  );
  const message = {
    deliveryId: 'd',
    noticeId: 'n',
    class: 'done' as const,
    about: 'a',
    createdAtMs: 0,
    openCount: 0,
  };
  const { signal } = new AbortController();
  const stuck = hangs?.send(message, signal);
  assert.deepEqual(await works?.send(message, signal), { outcome: 'sent' });
  await rig.server.untilPosted(1);
  await clock.advance(10_000);
  assert.deepEqual(await stuck, { outcome: 'again', reason: 'timeout' });
});

test('what was resolved, switched off or is a day old is not told', async () => {
  let offsetMs = 0;
  const system = createSystemClock();
  const clock: Clock = { ...system, wallMs: () => system.wallMs() + offsetMs };
  await using rig = await openRig(clock);
  const { store } = rig;
  const owner = await store.system.accounts.ensureOwner({ displayName: 'Owner', audit });
  const mine = store.forAccount(parseAccountId(owner.id));
  await mine.settings.update({ settings: { notifications: { question: false } }, audit });
  await rig.notice(1);
  offsetMs += 25 * 3_600_000;
  const input = (kind: 'question' | 'approval') =>
    ({ class: kind, key: kind, subjectId: kind }) as const;
  await mine.notices.tell({ notices: [input('question'), input('approval')] });
  await mine.notices.tell({ resolves: [{ as: 'answered', key: 'approval' }] });
  await using sender = openSender(rig, { clock });
  await rig.untilSettled(3);
  const reasons = (await rig.deliveries()).map(({ state, reason }) => `${state} ${reason}`);
  assert.deepEqual(reasons.toSorted(), ['skipped off', 'skipped old', 'skipped resolved']);
  assert.equal(rig.server.posted.length, 0);
  void sender;
});

test('a webhook that hangs does not keep what another channel would take, and is tried again by itself', async () => {
  const clock = createSystemClock();
  await using rig = await openRig(clock);
  await using ntfy = await openRecordingServer();
  rig.server.answerWith(() => {
    /* It never answers. */
  });
  // More than are sent at once, on both.
  await rig.notice(20);
  await using sender = openNoticeSender({
    store: rig.store,
    channels: [
      createWebhook({ url: rig.server.url, secret: 's' }, { clock }),
      createNtfy({ url: ntfy.url, topic: 't' }, { clock }),
    ],
    sender: { instanceId: 'gateway-a', generation: 1 },
    showsTitles: false,
    clock,
    random: createSystemRandom(),
    log: silentLog,
  });
  await ntfy.untilPosted(20);
  // Also what comes while it hangs.
  await rig.notice(1);
  await ntfy.untilPosted(21);
  await rig.untilSettled(21);
  assert.ok(rig.server.posted.length <= 8, 'the first ones still hang');
  void sender;
});

test('after the clock has jumped back, what is put off is sent all the same', async () => {
  let offsetMs = 24 * 3_600_000;
  const system = createSystemClock();
  const clock: Clock = { ...system, wallMs: () => system.wallMs() + offsetMs };
  await using rig = await openRig(clock);
  rig.server.answerWith((response) => {
    response.statusCode = 500;
    response.end();
  });
  await rig.notice(1);
  {
    await using sender = openSender(rig, { clock });
    await rig.server.untilPosted(1);
    void sender;
  }
  rig.server.answerWith((response) => void response.end());
  offsetMs = 0;
  await using sender = openSender(rig, { clock, generation: 2 });
  await rig.untilSettled(1);
  assert.equal((await rig.deliveries())[0]?.state, 'sent');
  void sender;
});

test('two gateways on one PostgreSQL send each notice once', { skip: postgres.skip }, async () => {
  const { connectionString } = await postgres.server.createDatabase();
  const location = { kind: 'postgres', connectionString } as const;
  await using rig = await openRig(createSystemClock(), location);
  await using other = await openStore(location, {
    clock: createSystemClock(),
    random: createSystemRandom(),
  });
  await using first = openSender(rig, { instanceId: 'gateway-a' });
  await using second = openSender(
    { store: other, server: rig.server },
    { instanceId: 'gateway-b' },
  );
  await rig.notice(20);
  await rig.untilSettled(20);
  const ids = idsOf(rig.server);
  assert.equal(ids.length, 20);
  assert.equal(new Set(ids).size, 20);
  void [first, second];
});

test('a gateway that dies with a notice in hand leaves it to another one, which sends it under the same id', {
  skip: postgres.skip,
}, async () => {
  const { connectionString } = await postgres.server.createDatabase();
  const location = { kind: 'postgres', connectionString } as const;
  let offsetMs = 0;
  const system = createSystemClock();
  const clock: Clock = { ...system, wallMs: () => system.wallMs() + offsetMs };
  await using rig = await openRig(clock, location);
  await rig.notice(1);
  const dead = Promise.withResolvers<void>();
  const first = openSender(rig, {
    onPoint: (point) => {
      if (point !== 'answered') return;
      dead.resolve();
      throw new Error('killed');
    },
  });
  await dead.promise;
  await first[Symbol.asyncDispose]();
  await using other = await openStore(location, { clock, random: createSystemRandom() });
  const { notices } = other.system;
  const bounds = { attemptsMax: 10, ageMsMax: 86_400_000, limit: 8 };
  const take = { channels: ['webhook'], holdMs: 60_000, pauseMsMax: 900_000, ...bounds };
  const sender = { instanceId: 'gateway-b', generation: 1 };
  // Its time is not over: it may be alive.
  assert.deepEqual(await notices.take({ ...take, sender }), []);
  offsetMs += 61_000;
  await using second = openSender({ store: other, server: rig.server }, { ...sender, clock });
  await rig.untilSettled(1);
  const ids = idsOf(rig.server);
  assert.equal(ids.length, 2);
  assert.equal(new Set(ids).size, 1);
  // The first one wakes up: what it has to say comes too late.
  const [notice] = (
    await rig.store
      .forAccount(
        parseAccountId(
          (
            await rig.store.system.accounts.ensureOwner({ displayName: 'Owner', audit })
          ).id,
        ),
      )
      .notices.list()
  ).items;
  const late = { noticeId: notice?.id ?? '', channel: 'webhook', attempt: 1 };
  const owner = await rig.store.system.accounts.ensureOwner({ displayName: 'Owner', audit });
  const accountId = parseAccountId(owner.id);
  assert.equal(
    await notices.settle({ ...late, accountId }, { state: 'failed', reason: 'x' }),
    false,
  );
  void second;
});

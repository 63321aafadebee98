/*
 * The events of an account: what each change tells, numbers without a hole, and that only what is committed is told.
 */
import assert from 'node:assert/strict';
import { decideOn } from '@clawdfather/sessions';
import type { AccountStore } from '@clawdfather/store';
import { onBoth } from '../../backends.ts';
import { audit, createAccount, createWorld, owner } from '../../world.ts';
import {
  busyThread,
  changeOf,
  committed,
  delta,
  endedTurn,
  newThread,
} from '../threads/thread-rows.ts';

async function told(account: AccountStore, after = 0): Promise<readonly string[]> {
  const events = await account.events.list({ after, limit: 500 });
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => after + 1 + index),
  );
  return events.map(({ type, subjectId }) => `${type} ${subjectId}`);
}

onBoth('a thread tells of its turns and asks, and not of text', async ({ open }) => {
  const account = await createAccount(await open(), 'ann');
  const busy = await busyThread(account.threads, 'a');
  const { id } = busy.thread;
  const notices = await noticeIds(account);
  assert.deepEqual(await told(account), [
    `thread_created ${id}`,
    'turn_queued waits-a',
    'turn_started turn-a',
    'ask_opened ask-a',
    `thread_changed ${id}`,
    `notice ${notices[0]}`,
  ]);
  const { seq } = await account.events.head();
  const text = await committed(account.threads, busy, changeOf(busy, { events: [delta(3)] }));
  assert.equal((await account.events.head()).seq, seq);
  const ask = { ...text.asks.get('ask-a')!, state: 'withdrawn' } as const;
  const turn = endedTurn(text.turn!);
  await committed(
    account.threads,
    text,
    changeOf(text, {
      rows: { turn: undefined, asks: new Map([[ask.id, ask]]) },
      endedTurns: [turn],
    }),
  );
  assert.deepEqual(await told(account, seq), [
    'turn_ended turn-a',
    'ask_closed ask-a',
    `notice_resolved ${notices[0]}`,
    `notice ${(await noticeIds(account))[1]}`,
  ]);
});

onBoth(
  'a turn that waits tells that it was moved or changed, and nothing else of it',
  async ({ open }) => {
    const account = await createAccount(await open(), 'ann');
    let rows = await busyThread(account.threads, 'a');
    const { seq } = await account.events.head();
    const changes = [
      { priority: 3 },
      { queueKey: 7 },
      { prompt: [{ type: 'text', text: 'something else' }] },
      { loadClass: 'short_task' },
      { notBeforeMs: 99 },
      // It could run, had it room.
      { readyAtMs: 5 },
    ] as const;
    for (const change of changes) {
      const queue = rows.queue.map((turn) => ({ ...turn, ...change }));
      rows = await committed(account.threads, rows, changeOf(rows, { rows: { queue } }));
    }
    const events = await account.events.list({ after: seq, limit: 500 });
    assert.deepEqual(
      events.map(({ type, subjectId, payload }) => [type, subjectId, payload['how']]),
      ['moved', 'moved', 'edited', 'edited', 'edited'].map((how) => [
        'turn_changed',
        'waits-a',
        how,
      ]),
    );
  },
);

async function noticeIds(account: AccountStore): Promise<readonly string[]> {
  const events = await account.events.list({ after: 0, limit: 500 });
  return events.filter(({ type }) => type === 'notice').map(({ subjectId }) => subjectId);
}

onBoth('a change that is refused tells nothing', async ({ open }) => {
  const { threads, events } = await createAccount(await open(), 'ann');
  const busy = await busyThread(threads, 'a');
  const end = changeOf(busy, { rows: { turn: undefined }, endedTurns: [endedTurn(busy.turn!)] });
  assert.equal(await threads.commit(busy, end), 'committed');
  const { seq } = await events.head();
  const other = changeOf(busy, { rows: { turn: undefined }, endedTurns: [endedTurn(busy.turn!)] });
  assert.equal(await threads.commit(busy, other), 'conflict');
  // The same change again, as after a lost answer, is recognised and tells nothing more.
  assert.equal(await threads.commit(busy, end), 'committed');
  assert.equal((await events.head()).seq, seq);
});

onBoth('ten threads that change at once make numbers without a hole', async ({ open }) => {
  const stores = await Promise.all([open(), open()]);
  const account = await createAccount(stores[0], 'ann');
  await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      busyThread(stores[index % 2]!.forAccount(account.accountId).threads, `t${index}`),
    ),
  );
  assert.equal((await told(account)).length, 60);
});

onBoth('hosts, devices and sessions tell of themselves', async ({ open }) => {
  const { account, connectionId, sessionId } = await createWorld(await open());
  const device = await account.devices.create({ tokenHash: 'h', device: 'phone', audit });
  await account.devices.rename({ id: device.id, device: 'old phone', audit });
  await account.devices.revoke({ id: device.id, audit });
  assert.equal(await account.devices.rename({ id: device.id, device: 'gone', audit }), 'not_found');
  assert.equal(await account.devices.revoke({ id: device.id, audit }), 'not_found');
  const lost = { type: 'failed', epoch: 1, code: 'keepalive', message: 'm' } as const;
  await account.sessions.change(sessionId, decideOn(lost, audit));
  const [notice] = await noticeIds(account);
  assert.deepEqual(await told(account), [
    `connection_changed ${connectionId}`,
    `connection_tested ${connectionId}`,
    `session_started ${sessionId}`,
    `device_added ${device.id}`,
    `device_changed ${device.id}`,
    `device_removed ${device.id}`,
    `session_ended ${sessionId}`,
    `notice ${notice}`,
  ]);
});

onBoth('how far a thread was looked at only grows, and is told when it does', async ({ open }) => {
  const account = await createAccount(await open(), 'ann');
  const busy = await busyThread(account.threads, 'a');
  const { id } = busy.thread;
  const { seq } = await account.events.head();
  assert.equal(await account.seen.mark(id, 1), 1);
  assert.equal(await account.seen.mark(id, 1), 1);
  assert.equal(await account.seen.mark(id, 0), 1);
  // Nothing that is to come can have been seen.
  assert.equal(await account.seen.mark(id, 99), 2);
  assert.equal((await account.threads.get(id))?.seenSeq, 2);
  assert.deepEqual(await told(account, seq), [`seen ${id}`, `seen ${id}`]);
  // A change of the thread that was decided on older rows leaves it as it is.
  const next = await committed(account.threads, busy, changeOf(busy, { events: [delta(3)] }));
  assert.equal(next.thread.seenSeq, 2);
});

onBoth('a change that nobody has to read leaves a thread as read as it was', async ({ open }) => {
  const account = await createAccount(await open(), 'ann');
  const thread = await newThread(account.threads);
  const { id } = thread.thread;
  const status = (seq: number) => ({ ...delta(seq), type: 'status' }) as const;
  const mark = async () => (await account.threads.get(id))?.seenSeq;
  const wentOn = async () => (await account.inbox.look(9)).wentOn.map(({ threadId }) => threadId);
  const routine = async (before: typeof thread) => {
    const events = [status(before.thread.lastSeq + 1)];
    return await committed(account.threads, before, changeOf(before, { events, isRoutine: true }));
  };
  // Never looked at.
  let rows = await routine(thread);
  rows = await committed(account.threads, rows, changeOf(rows, { events: [delta(2), delta(3)] }));
  assert.equal(await mark(), 0);
  await account.seen.mark(id, 3);
  rows = await routine(rows);
  assert.equal(await mark(), 4);
  assert.deepEqual(await wentOn(), []);
  // Not looked at to its end.
  rows = await committed(account.threads, rows, changeOf(rows, { events: [delta(5)] }));
  rows = await routine(rows);
  assert.equal(await mark(), 4);
  assert.deepEqual(await wentOn(), [id]);
});

onBoth('who follows an account is told after the commit, and of no other', async ({ open }) => {
  const store = await open();
  const ann = await createAccount(store, 'ann');
  const bob = await createAccount(store, 'bob');
  const rings: number[] = [];
  const reads: Promise<unknown>[] = [];
  const stop = store.news.follow(ann.accountId, () => {
    rings.push(rings.length);
    reads.push(ann.events.head().then(({ seq }) => assert.equal(seq, 2)));
  });
  await newThread(bob.threads);
  assert.equal(rings.length, 0);
  // Two writes in one transaction are told once, when both are there.
  await ann.transaction(async ({ threads }) => {
    await newThread(threads);
    await newThread(threads);
  });
  await Promise.all(reads);
  assert.equal(rings.length, 1);
  await assert.rejects(
    ann.transaction(async ({ threads }) => {
      await newThread(threads);
      throw new Error('undone');
    }),
  );
  assert.equal(rings.length, 1);
  stop();
});

onBoth(
  'a host that takes two sessions with it is one notice, and is back with the next',
  async ({ open }) => {
    const { account, connectionId, sessionId } = await createWorld(await open());
    const start = async (): Promise<string> => {
      const made = await account.sessions.create({
        connectionId,
        agent: 'claude',
        owner,
        openMax: 9,
        audit,
      });
      assert.equal(made.outcome, 'created');
      const { id } = made.session;
      await account.sessions.change(id, decideOn({ type: 'activated', epoch: 1 }, audit));
      return id;
    };
    const second = await start();
    const lost = { type: 'failed', epoch: 1, code: 'keepalive', message: 'm' } as const;
    for (const id of [sessionId, second]) await account.sessions.change(id, decideOn(lost, audit));
    assert.equal((await account.inbox.look(9)).counts.host_lost, 1);
    await start();
    assert.equal((await account.inbox.look(9)).counts.host_lost, 0);
    assert.equal((await account.notices.list()).items[0]?.resolution, 'back');
  },
);

/*
 * The queue on both databases: lanes are never exceeded, however many take room at once; the order is the one that people see; and a look
 * costs the same whatever waits behind.
 */
import assert from 'node:assert/strict';
import {
  admitTurn,
  enqueueTurn,
  keyAfter,
  type LaneClaim,
  moveTurn,
  spotBefore,
  type ThreadRecords,
  type ThreadRows,
} from '@clawdfather/agents';
import type { Store } from '../../src/store.ts';
import { newThread } from '../account/threads/thread-rows.ts';
import { onBoth } from '../backends.ts';
import { createAccount, createWorld } from '../world.ts';

const many = { agent: 1_000, account: 1_000, gateway: 1_000 };

interface Given {
  readonly connectionId?: string;
  readonly queueKey?: number;
  readonly priority?: number;
  readonly notBeforeMs?: number;
}

async function enqueue(records: ThreadRecords, id: string, given: Given = {}) {
  const { connectionId, ...more } = given;
  const rows = await newThread(records, { connectionId });
  const turn = { id, prompt: [], loadClass: 'long_task', requester: 'r' } as const;
  const change = enqueueTurn(rows, { ...turn, ...more }, 10);
  assert.equal(await records.commit(rows, change), 'committed');
  const loaded = await records.load(rows.thread.id);
  assert.ok(loaded);
  return loaded;
}

function admit(
  records: ThreadRecords,
  rows: ThreadRows,
  { below = many, instanceId = 'here' } = {},
) {
  const claim = { kind: 'admit', instanceId, below } as const;
  const change = admitTurn(rows, 20, claim);
  assert.ok(change);
  return records.commit(rows, change);
}

onBoth('twenty who take room at once, at two gateways, never exceed a lane', async ({ open }) => {
  const stores: readonly Store[] = [await open(), await open()];
  const people = [await createAccount(stores[0]!, 'ann'), await createAccount(stores[0]!, 'bob')];
  const waiting: { readonly rows: ThreadRows; readonly person: number }[] = [];
  for (let count = 0; count < 20; count += 1) {
    const person = count % 2;
    waiting.push({ person, rows: await enqueue(people[person]!.threads, `turn-${count}`) });
  }
  const below = { agent: 7, account: 4, gateway: 5 };
  const outcomes = await Promise.all(
    waiting.map(({ rows, person }, index) => {
      const { accountId } = people[person]!;
      const { threads } = stores[index % 4 < 2 ? 0 : 1]!.forAccount(accountId);
      return admit(threads, rows, { below, instanceId: index % 4 < 2 ? 'here' : 'there' });
    }),
  );
  const admitted = outcomes.filter((outcome) => outcome === 'committed').length;
  assert.equal(admitted, 7, 'the lane of the agent is the narrowest');
  const running = await stores[0]!.system.queue.running();
  assert.equal(running.length, 7);
  for (const { accountId } of people) {
    assert.ok(running.filter((turn) => turn.accountId === accountId).length <= 4);
  }
  for (const name of ['here', 'there']) {
    assert.ok(running.filter(({ instanceId }) => instanceId === name).length <= 5);
  }
  const refused = outcomes.find((outcome) => typeof outcome === 'object');
  assert.ok(refused?.max === below[refused?.lane ?? 'agent']);
});

onBoth('no more wait than may, however many come at once', async ({ open }) => {
  const stores = [await open(), await open()];
  const ann = await createAccount(stores[0]!, 'ann');
  const threads = await Promise.all(Array.from({ length: 12 }, () => newThread(ann.threads)));
  const claim: LaneClaim = { kind: 'enqueue', below: { agent: 5, account: 9, gateway: 9 } };
  const outcomes = await Promise.all(
    threads.map((rows, index) => {
      const turn = {
        id: `t-${index}`,
        prompt: [],
        loadClass: 'long_task',
        requester: 'r',
      } as const;
      const records = stores[index % 2]!.forAccount(ann.accountId).threads;
      return records.commit(rows, { ...enqueueTurn(rows, turn, 10), claim });
    }),
  );
  assert.equal(outcomes.filter((outcome) => outcome === 'committed').length, 5);
  const full = { outcome: 'lane-full', lane: 'agent', count: 5, max: 5 };
  assert.ok(
    outcomes
      .filter((outcome) => typeof outcome === 'object')
      .every((one) => {
        assert.deepEqual(one, full);
        return true;
      }),
  );
  const { total } = await stores[0]!.system.queue.page(ann.accountId, 100);
  assert.equal(total, 5, 'and nothing of the others is stored');
});

onBoth(
  'an admission whose answer was lost has happened, though the lane is full',
  async ({ open }) => {
    const { threads } = await createAccount(await open(), 'ann');
    const rows = await enqueue(threads, 'turn');
    const below = { agent: 1, account: 1, gateway: 1 };
    const change = admitTurn(rows, 20, { kind: 'admit', instanceId: 'here', below });
    assert.ok(change);
    assert.equal(await threads.commit(rows, change), 'committed');
    assert.equal(await threads.commit(rows, change), 'committed');
  },
);

onBoth(
  'the order of an account: priority, then key; a move rewrites one turn',
  async ({ open }) => {
    const store = await open();
    const { queue } = store.system;
    const { threads, accountId } = await createAccount(store, 'ann');
    const threadsOf = new Map<string, string>();
    for (const [id, priority] of [
      ['a', 0],
      ['b', 0],
      ['c', 5],
      ['d', 0],
    ] as const) {
      const queueKey = keyAfter((await queue.lastKey(accountId)) ?? 0);
      const { thread } = await enqueue(threads, id, { queueKey, priority });
      threadsOf.set(id, thread.id);
    }
    const order = async () => (await queue.page(accountId, 9)).items.map(({ turnId }) => turnId);
    assert.deepEqual(await order(), ['c', 'a', 'b', 'd']);
    assert.equal((await queue.placeOf(accountId, 'b'))?.ahead, 2);
    assert.equal(await queue.placeOf(accountId, 'nobody'), undefined);
    const target = await queue.placeOf(accountId, 'b');
    assert.ok(target);
    const { before } = await queue.neighbours(accountId, { spot: target, exceptId: 'd' });
    const spot = spotBefore(target, before);
    assert.ok(spot);
    const rows = await threads.load(threadsOf.get('d')!);
    const change = moveTurn(rows!, { turnId: 'd', spot }, 30);
    assert.equal(await threads.commit(rows!, change!), 'committed');
    assert.deepEqual(await order(), ['c', 'a', 'd', 'b']);
    const { last } = await queue.neighbours(accountId, { exceptId: 'b' });
    assert.equal(last?.queueKey, spot.queueKey, 'the last one but the one that is moved');
  },
);

onBoth(
  'what is ready: the first of each thread in which none runs, whose time has come',
  async ({ open }) => {
    const store = await open();
    const { queue } = store.system;
    const { threads, accountId } = await createAccount(store, 'ann');
    const free = await enqueue(threads, 'free');
    const second = { id: 'second', prompt: [], loadClass: 'long_task', requester: 'r' } as const;
    assert.equal(await threads.commit(free, enqueueTurn(free, second, 11)), 'committed');
    const later = await enqueue(threads, 'later', { notBeforeMs: 1_000 });
    const wanted = { instanceId: 'here', perLaneMax: 9, hasAgentOnly: false };
    const lanes = await queue.readyLanes();
    assert.deepEqual(lanes, [{ accountId, agent: 'fake' }]);
    const readyAt = async (atMs: number) =>
      (await queue.ready({ ...wanted, lanes, atMs })).map(({ turnId }) => turnId).toSorted();
    assert.deepEqual(await readyAt(999), ['free']);
    assert.deepEqual(await readyAt(1_000), ['free', 'later']);
    assert.deepEqual(await queue.ready({ ...wanted, lanes, atMs: 999, hasAgentOnly: true }), []);
    const overdue = await queue.overdue({ agent: 'fake', readyBeforeMs: 500, limit: 9 });
    assert.deepEqual(
      overdue.map(({ turnId }) => turnId),
      ['free'],
      'the other waits for its time',
    );
    assert.equal(await admit(threads, (await threads.load(free.thread.id))!), 'committed');
    assert.deepEqual(await readyAt(1_000), ['later'], 'the second one has its thread before it');
    assert.equal(later.queue[0]?.readyAtMs, 10);
    assert.equal((await queue.waitingIn({ agent: 'fake' })).waiting, 2);
    assert.deepEqual(await queue.waitingIn({}), { waiting: 2, oldestQueuedAtMs: 10 });
  },
);

onBoth(
  'without memory here, what is ready is what runs already, and what runs on hosts',
  async ({ open }) => {
    const store = await open();
    const { queue } = store.system;
    const { account, connectionId } = await createWorld(store);
    const { accountId, threads } = account;
    await enqueue(threads, 'here', { queueKey: 2 });
    const far = await enqueue(threads, 'far', { connectionId, queueKey: 1 });
    const lanes = [{ accountId, agent: 'fake' }];
    const wanted = { instanceId: 'here', lanes, atMs: 999, perLaneMax: 9 };
    const found = async (hasAgentOnly: boolean) =>
      (await queue.ready({ ...wanted, hasAgentOnly }))
        .toSorted((one, other) => one.queueKey - other.queueKey)
        .map(({ turnId, isOnHost, hasAgent }) => [turnId, isOnHost, hasAgent]);
    const ofHost = ['far', true, false];
    assert.deepEqual(await found(false), [ofHost, ['here', false, false]]);
    assert.deepEqual(await found(true), [ofHost]);
    assert.equal((await queue.placeOf(accountId, 'far'))?.isOnHost, true);
    assert.equal((await queue.placeOf(accountId, 'here'))?.isOnHost, false);
    assert.equal(await admit(threads, far), 'committed');
    assert.deepEqual(
      (await queue.running()).map(({ turnId, isOnHost }) => [turnId, isOnHost]),
      [['far', true]],
    );
  },
);

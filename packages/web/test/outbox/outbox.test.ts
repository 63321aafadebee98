/*
 * The outbox of a device: two tabs, one sender, rows that outlive a page, and never more than once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom, createSystemClock } from '@clawdfather/kit';
import type { Attempt, OutboxWire } from '@clawdfather/sdk';
import { openDeviceOutbox } from '../../src/outbox/outbox.ts';
import { createDeviceOutboxStore } from '../../src/outbox/outbox-store.ts';
import type { TabNews, Tabs } from '../../src/state/tabs.ts';
import { createMemoryTables } from '../../src/storage/memory-tables.ts';

/* A gateway that takes every key once, and can be away. */
function createWire() {
  const taken = new Map<string, string>();
  const order: string[] = [];
  const wire = { isAway: false, taken, order, calls: 0 };
  const take = async (key: string, what: string): Promise<Attempt> => {
    wire.calls += 1;
    if (wire.isAway) return { kind: 'unanswered' };
    if (!taken.has(key)) {
      taken.set(key, `id-${taken.size + 1}`);
      order.push(what);
    }
    return { kind: 'accepted', id: taken.get(key) ?? '' };
  };
  const port: OutboxWire = {
    createThread: (key) => take(key, 'thread'),
    prompt: (key, threadId, { text }) => take(key, `${threadId}: ${text}`),
    cancel: (turnId) => take(`cancel ${turnId}`, `cancel ${turnId}`),
  };
  return { ...port, wire };
}

/* Tabs of one browser. */
function createBrowser() {
  const listeners = new Set<(news: TabNews) => void>();
  const tables = createMemoryTables();
  let last: Promise<unknown> = Promise.resolve();
  // One at a time over all tabs, as the browser's locks are.
  const request = (_name: string, work: () => Promise<unknown>): Promise<unknown> => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
  let count = 0;
  const random = createRandom((target) => {
    count += 1;
    target.fill(0);
    target[0] = count;
  });
  const openTab = (port: OutboxWire) => {
    let mine: (news: TabNews) => void = () => {};
    const tabs: Tabs = {
      tell: (news) => {
        for (const listener of listeners) if (listener !== mine) listener(news);
      },
      onNews: (listener) => {
        mine = listener;
        listeners.add(listener);
      },
    };
    const locks = { request } as unknown as Pick<LockManager, 'request'>;
    const store = createDeviceOutboxStore(tables, locks);
    // Waits for the next try take no time, and are counted by the wire.
    const clock = { ...createSystemClock(), timer: () => ({ cancel: () => {}, unref: () => {} }) };
    return openDeviceOutbox({ store, wire: port, clock, random, tabs, onRefused: () => {} });
  };
  return { openTab, settled: () => last };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

test('what two tabs wrote without a network is sent once, in order, and both show how it stands', async () => {
  const { wire, ...port } = createWire();
  const browser = createBrowser();
  const [one, other] = [browser.openTab(port), browser.openTab(port)];
  wire.isAway = true;
  for (let n = 1; n <= 10; n += 1) {
    await one.say({ threadId: 't', text: `one ${n}` });
    await other.say({ threadId: 't', text: `other ${n}` });
  }
  await browser.settled();
  assert.equal(one.rowsOf('t').value.length, 20);
  assert.equal(other.rowsOf('t').value.length, 20);
  wire.isAway = false;
  one.flush();
  other.flush();
  await until(() => wire.order.length === 20);
  await until(() => other.rows.value.every(({ state }) => state.kind === 'accepted'));
  const expected = Array.from({ length: 10 }, (_, n) => [`t: one ${n + 1}`, `t: other ${n + 1}`]);
  assert.deepEqual(wire.order, expected.flat());
});

test('a thread that was begun offline is made first; its message follows, and its rows are found under both names', async () => {
  const { wire, ...port } = createWire();
  wire.isAway = true;
  const browser = createBrowser();
  const outbox = browser.openTab(port);
  const { key } = await outbox.begin({ agent: 'claude', text: 'hello' });
  await outbox.say({ threadId: key, text: 'and this' });
  assert.equal(outbox.threadIdOf(key).value, undefined);
  wire.isAway = false;
  outbox.flush();
  await until(() => wire.order.length === 3);
  assert.deepEqual(wire.order, ['thread', 'id-1: hello', 'id-1: and this']);
  await until(() => outbox.threadIdOf(key).value === 'id-1');
  assert.equal(outbox.rowsOf('id-1').value.length, outbox.rowsOf(key).value.length);
});

test('a thread whose message has no place any more is not begun', async () => {
  const port = createWire();
  port.wire.isAway = true;
  const tab = createBrowser().openTab(port);
  for (let n = 1; n < 50; n += 1) await tab.say({ threadId: 'thread-1', text: `Message ${n}` });
  const isFull = { code: 'outbox-full' };
  await assert.rejects(tab.begin({ agent: 'echo', text: 'One too many' }), isFull);
  assert.deepEqual(tab.unbegun.value, []);
  await tab.say({ threadId: 'thread-1', text: 'The last place is free again' });
  await assert.rejects(tab.say({ threadId: 'thread-1', text: 'One too many' }), isFull);
});

test('files go along with a message, also with the first one of a thread', async () => {
  const { wire, ...port } = createWire();
  const given: unknown[] = [];
  const outbox = createBrowser().openTab({
    ...port,
    prompt: (key, threadId, item) => {
      given.push(item.attachments);
      return port.prompt(key, threadId, item);
    },
  });
  await outbox.begin({ text: 'hello', attachments: ['u1'] });
  await outbox.say({ threadId: 't', text: 'look', attachments: ['u2', 'u3'] });
  await outbox.say({ threadId: 't', text: 'only words', attachments: [] });
  await until(() => wire.order.length === 4);
  assert.deepEqual(given, [['u1'], ['u2', 'u3'], undefined]);
});

test('a page that died before the answer leaves rows that the next one sends, with no second effect', async () => {
  const { wire, ...port } = createWire();
  const browser = createBrowser();
  // It takes the message, and its answer is lost.
  const losing: OutboxWire = {
    ...port,
    prompt: async (...given) => {
      await port.prompt(...given);
      return { kind: 'unanswered' };
    },
  };
  const first = browser.openTab(losing);
  await first.say({ threadId: 't', text: 'once' });
  await browser.settled();
  const second = browser.openTab(port);
  second.flush();
  await until(() => second.rows.value[0]?.state.kind === 'accepted');
  assert.deepEqual(wire.order, ['t: once']);
  await second.shown([wire.taken.values().next().value ?? '']);
  assert.deepEqual(second.rows.value, []);
});

test('a thread that the gateway refuses keeps its text, is sent again with it, or leaves with it', async () => {
  const { wire, ...port } = createWire();
  let isRefusing = true;
  const refused: Attempt = { kind: 'refused', code: 'limit_reached', message: 'no room' };
  const createThread: OutboxWire['createThread'] = async (...given) =>
    isRefusing ? refused : port.createThread(...given);
  const outbox = createBrowser().openTab({ ...port, createThread });
  const { key } = await outbox.begin({ agent: 'claude', text: 'hello' });
  const { key: otherKey } = await outbox.begin({ agent: 'claude', text: 'never mind' });
  await until(() => outbox.rows.value.every(({ state }) => state.kind === 'refused'));
  assert.deepEqual(
    outbox.unbegun.value.map(({ text }) => text),
    ['hello', 'never mind'],
  );
  await outbox.drop(otherKey);
  assert.deepEqual(
    outbox.unbegun.value.map(({ text }) => text),
    ['hello'],
  );
  isRefusing = false;
  await outbox.beginAgain(key);
  await until(() => wire.order.length === 2);
  assert.deepEqual(wire.order, ['thread', 'id-1: hello']);
  await until(() => outbox.unbegun.value.length === 0);
});

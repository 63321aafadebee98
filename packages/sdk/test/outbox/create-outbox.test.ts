/*
 * The outbox against a gateway that loses requests and answers, with tabs that are killed and two that send at once: each message arrives
 * exactly once, in the order of its thread.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '@clawdfather/kit';
import { createFakeClock, createSeededRandom } from '@clawdfather/testkit';
import fc from 'fast-check';
import { createOutbox, type Outbox } from '../../src/outbox/create-outbox.ts';
import { createMemoryOutboxStore } from '../../src/outbox/memory-outbox-store.ts';
import type { OutboxStore } from '../../src/outbox/outbox-store.ts';
import type { Attempt, OutboxWire } from '../../src/outbox/outbox-wire.ts';

/* What the network does to a request. */
type Fate = 'arrives' | 'request-lost' | 'answer-lost' | 'busy';

/* A gateway that takes a key once, as the real one does. */
function createFakeGateway() {
  const threads = new Map<string, { readonly id: string; readonly said: string[] }>();
  const turns = new Map<string, string>();
  const cancelled: string[] = [];
  const fates: Fate[] = [];
  const through = async (effect: () => Attempt): Promise<Attempt> => {
    const fate = fates.shift() ?? 'arrives';
    await Promise.resolve();
    if (fate === 'request-lost') return { kind: 'unanswered' };
    if (fate === 'busy') return { kind: 'deferred', code: 'queue_full', message: 'no room' };
    const answer = effect();
    await Promise.resolve();
    return fate === 'answer-lost' ? { kind: 'unanswered' } : answer;
  };
  const wire: OutboxWire = {
    createThread: (key) =>
      through(() => {
        const thread = threads.get(key) ?? { id: `thread-of-${key}`, said: [] };
        threads.set(key, thread);
        return { kind: 'accepted', id: thread.id };
      }),
    prompt: (key, threadId, { text }) =>
      through(() => {
        const thread = [...threads.values()].find(({ id }) => id === threadId);
        if (thread === undefined) {
          return { kind: 'refused', code: 'not_found', message: 'no such thread' };
        }
        if (!turns.has(key)) {
          turns.set(key, `turn-of-${key}`);
          thread.said.push(text);
        }
        return { kind: 'accepted', id: turns.get(key) ?? '' };
      }),
    cancel: (turnId) =>
      through(() => {
        cancelled.push(turnId);
        return { kind: 'accepted', id: turnId };
      }),
  };
  return { wire, fates, cancelled, threads, turns };
}

/* A tab whose storage fails at some operation, and everything after it: it was killed. */
function killedAfter(store: OutboxStore, operations: number): OutboxStore {
  let left = operations;
  const alive = (): void => {
    left -= 1;
    if (left < 0) throw new Error('killed');
  };
  return {
    ...store,
    rows: async () => {
      alive();
      return store.rows();
    },
    replace: async (row) => {
      alive();
      await store.replace(row);
    },
  };
}

function openOutbox(store: OutboxStore, wire: OutboxWire, seed = 1): Outbox {
  return createOutbox({ store, wire, clock: createFakeClock(), random: createSeededRandom(seed) });
}

test('any interleaving of lost requests, lost answers, killed tabs and two tabs delivers each message once, in order', async () => {
  const fate = fc.constantFrom<Fate>('arrives', 'request-lost', 'answer-lost', 'busy');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('write' as const), thread: fc.nat({ max: 2 }) }),
    fc.record({
      kind: fc.constant('flush' as const),
      // How many operations of its storage each tab lives to see.
      tabs: fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 2 }),
      fates: fc.array(fate, { maxLength: 8 }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const gateway = createFakeGateway();
      const store = createMemoryOutboxStore();
      const outbox = openOutbox(store, gateway.wire);
      const threads: { readonly key: string; readonly written: string[] }[] = [];
      for (let count = 0; count < 3; count += 1) {
        const { key } = await outbox.begin({ kind: 'thread' });
        threads.push({ key, written: [] });
      }
      for (const one of steps) {
        if (one.kind === 'write') {
          const thread = threads[one.thread];
          assert.ok(thread);
          const text = `${one.thread}: ${thread.written.length}`;
          thread.written.push(text);
          await outbox.write({ kind: 'new', key: thread.key }, { kind: 'message', text });
          continue;
        }
        gateway.fates.splice(0, gateway.fates.length, ...one.fates);
        const flushes = one.tabs.map((operations, index) =>
          openOutbox(killedAfter(store, operations), gateway.wire, index + 2).flush(),
        );
        await Promise.allSettled(flushes);
      }
      gateway.fates.length = 0;
      assert.equal(await outbox.flush(), 'done');
      for (const { key, written } of threads) {
        assert.deepEqual(gateway.threads.get(key)?.said, written);
      }
      const states = (await outbox.rows()).map(({ state }) => state.kind);
      assert.ok(states.every((kind) => kind === 'accepted'));
    }),
    { numRuns: 300 },
  );
});

test('a refused message lets the next one through; a conversation that cannot be begun takes its messages along', async () => {
  const gateway = createFakeGateway();
  const outbox = openOutbox(createMemoryOutboxStore(), gateway.wire);
  const lost = { kind: 'known', id: 'nowhere' } as const;
  await outbox.write(lost, { kind: 'message', text: 'hello' });
  const orphan = { kind: 'new', key: 'never-written' } as const;
  await outbox.write(orphan, { kind: 'message', text: 'hello' });
  assert.equal(await outbox.flush(), 'done');
  const rows = await outbox.rows();
  assert.deepEqual(
    rows.map(({ state }) => state.kind),
    ['refused', 'refused'],
  );
  for (const { key } of rows) assert.ok(await outbox.remove(key));
  assert.deepEqual(await outbox.rows(), []);
});

test('a message that finds no room says why and may be taken back; what is behind it in other threads is sent', async () => {
  const gateway = createFakeGateway();
  const outbox = openOutbox(createMemoryOutboxStore(), gateway.wire);
  const { key, thread } = await outbox.begin({ kind: 'thread' });
  await outbox.flush();
  const message = await outbox.write(thread, { kind: 'message', text: 'no room for it' });
  await outbox.write({ kind: 'known', id: 'turn-1' }, { kind: 'cancel', turnId: 'turn-1' });
  gateway.fates.push('busy');
  assert.equal(await outbox.flush(), 'stopped');
  assert.deepEqual(gateway.cancelled, ['turn-1']);
  const states = (await outbox.rows()).map(({ state }) => state);
  const deferred = { code: 'queue_full', message: 'no room' };
  assert.deepEqual(states[1], { kind: 'written', deferred });
  assert.equal(await outbox.remove(message.key), true);
  assert.equal(await outbox.flush(), 'done');
  assert.deepEqual(gateway.threads.get(key)?.said, []);
});

test('a cancel follows its message, whatever became of it', async () => {
  const gateway = createFakeGateway();
  const outbox = openOutbox(createMemoryOutboxStore(), gateway.wire);
  const { key: newKey } = await outbox.begin({ kind: 'thread' });
  const thread = { kind: 'new', key: newKey } as const;
  const { key } = await outbox.write(thread, { kind: 'message', text: 'do it' });
  await outbox.write(thread, { kind: 'cancel', ofKey: key });
  gateway.fates.push('arrives', 'answer-lost');
  assert.equal(await outbox.flush(), 'stopped');
  assert.equal(await outbox.remove(key), false, 'it may have arrived');
  assert.equal(await outbox.flush(), 'done');
  const turn = gateway.turns.get(key) ?? '';
  assert.deepEqual(gateway.cancelled, [turn]);
  await outbox.taken(turn);
  const states = (await outbox.rows()).map(({ state }) => state.kind);
  assert.deepEqual(states, ['accepted', 'taken', 'accepted']);
});

test('after two days a message that never left asks first, and is sent when a person says so; one that may have arrived finds out', async () => {
  const gateway = createFakeGateway();
  const store = createMemoryOutboxStore();
  const clock = createFakeClock();
  const outbox = createOutbox({
    store,
    wire: gateway.wire,
    clock,
    random: createSeededRandom(1),
  });
  const { key: newKey } = await outbox.begin({ kind: 'thread' });
  await outbox.flush();
  const thread = { kind: 'new', key: newKey } as const;
  const { key: first } = await outbox.write(thread, { kind: 'message', text: 'one' });
  gateway.fates.push('answer-lost');
  assert.equal(await outbox.flush(), 'stopped');
  const { key: second } = await outbox.write(thread, { kind: 'message', text: 'two' });
  clock.jumpWall(clock.wallMs() + 49 * 60 * 60_000);
  assert.equal(await outbox.flush(), 'done');
  const kindOf = async (key: string): Promise<unknown> =>
    (await outbox.rows()).find((row) => row.key === key)?.state.kind;
  assert.equal(await kindOf(first), 'accepted');
  assert.equal(await kindOf(second), 'expired');
  assert.deepEqual([...gateway.threads.values()][0]?.said, ['one']);
  await outbox.again(second);
  assert.equal(await outbox.flush(), 'done');
  assert.equal(await kindOf(second), 'accepted');
  assert.deepEqual([...gateway.threads.values()][0]?.said, ['one', 'two']);
});

test('the fifty-first message is refused, not lost', async () => {
  const outbox = openOutbox(createMemoryOutboxStore(), createFakeGateway().wire);
  const { key } = await outbox.begin({ kind: 'thread' });
  const thread = { kind: 'new', key } as const;
  for (let count = 1; count < 50; count += 1) {
    await outbox.write(thread, { kind: 'message', text: `${count}` });
  }
  await assert.rejects(outbox.write(thread, { kind: 'message', text: 'one more' }), (error) =>
    hasCode(error, 'outbox-full'),
  );
  await outbox.flush();
  await outbox.write(thread, { kind: 'message', text: 'one more' });
});

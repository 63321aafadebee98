/*
 * The tables of a device on bad days: full, refused, or told to keep nothing. No call fails, and nothing that was written is lost.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOutbox } from '@clawdfather/sdk';
import { createFakeClock, createSeededRandom } from '@clawdfather/testkit';
import { createDeviceOutboxStore } from '../../src/outbox/outbox-store.ts';
import { openInTime, tooLate } from '../../src/storage/connection.ts';
import type { DeviceTables } from '../../src/storage/device-tables.ts';
import {
  createLastingTables,
  type LastingDeps,
  type LastingTables,
} from '../../src/storage/lasting-tables.ts';
import { createMemoryTables } from '../../src/storage/memory-tables.ts';
import { openWipeMark } from '../../src/storage/wipe-mark.ts';
import { createLocalStorage, createPageStorage } from './page-storage.ts';

/* Where nothing waits, time stands still. */
const clock = createFakeClock();
const keepsNothing = (): boolean => false;
const draft = (key: string, text: string) => ({ key, text, atMs: 1 });
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function tablesOver(open: LastingDeps['open'], given: Partial<LastingDeps> = {}): LastingTables {
  const wipeMark = openWipeMark({ localStorage: createLocalStorage() });
  return createLastingTables({ clock, keepsNothing, wipeMark, open, ...given });
}

function full(): never {
  throw new DOMException('no room', 'QuotaExceededError');
}

/* A device on which `disk` was written before it was full. */
function fullDevice(disk: DeviceTables): DeviceTables {
  return { ...disk, put: async () => full(), change: async () => full() };
}

test('on a device that is full, what is written is found in the page, and what was there stays readable', async () => {
  const disk = createMemoryTables();
  await disk.put('drafts', draft('old', 'from before'));
  const tables = tablesOver(async () => fullDevice(disk));
  await tables.put('drafts', draft('new', 'just now'));
  assert.equal((await tables.read('drafts', 'new'))?.text, 'just now');
  assert.equal((await tables.read('drafts', 'old'))?.text, 'from before');
  const texts = (await tables.all('drafts')).map(({ text }) => text);
  assert.deepEqual(texts.toSorted(), ['from before', 'just now']);
  assert.deepEqual(tables.standing.value, { kind: 'in-page', why: 'full' });
});

test('a change that does not fit sees the rows of device and page, and is kept in the page', async () => {
  const disk = createMemoryTables();
  await disk.put('drafts', draft('old', '1'));
  const tables = tablesOver(async () => fullDevice(disk));
  const count = async (): Promise<number> =>
    tables.change('drafts', (rows) => ({
      put: [draft(`n${rows.length}`, 'x')],
      result: rows.length,
    }));
  assert.deepEqual([await count(), await count(), await count()], [1, 2, 3]);
});

test('room is made once before giving up', async () => {
  const disk = createMemoryTables();
  let isFull = true;
  const device: DeviceTables = {
    ...disk,
    put: async (...given: Parameters<DeviceTables['put']>) =>
      isFull ? full() : disk.put(...given),
  };
  const makeRoom = async (): Promise<void> => {
    isFull = false;
  };
  const tables = tablesOver(async () => device, { makeRoom });
  await tables.put('drafts', draft('a', 'kept'));
  assert.equal((await disk.read('drafts', 'a'))?.text, 'kept');
  assert.deepEqual(tables.standing.value, { kind: 'kept' });
});

test('a browser without a database has all of it in the page', async () => {
  const open = async (): Promise<never> => {
    throw new DOMException('not here', 'SecurityError');
  };
  const tables = tablesOver(open);
  await tables.put('notes', { key: 'a', value: 1 });
  assert.equal((await tables.read('notes', 'a'))?.value, 1);
  await tables.clear();
  assert.equal(await tables.read('notes', 'a'), undefined);
  assert.deepEqual(tables.standing.value, { kind: 'in-page', why: 'refused' });
});

test('told to keep nothing, nothing reaches the device; clearing removes what it had', async () => {
  const disk = createMemoryTables();
  let keeps = true;
  const tables = tablesOver(async () => disk, { keepsNothing: () => !keeps });
  await tables.put('drafts', draft('a', '1'));
  keeps = false;
  await tables.put('drafts', draft('b', '2'));
  assert.deepEqual(
    (await disk.all('drafts')).map(({ key }) => key),
    ['a'],
  );
  await tables.clear();
  assert.deepEqual(await disk.all('drafts'), []);
});

/* Connections to one `disk`: each can be lost, and none can be had while it is `down`. */
function unsteadyDevice() {
  const disk = createMemoryTables();
  const state = { isDown: false, opened: 0 };
  const lost = (): never => {
    throw new DOMException('its connection was closed', 'InvalidStateError');
  };
  const open = async (): Promise<DeviceTables> => {
    if (state.isDown) lost();
    state.opened += 1;
    const mine = state.opened;
    const alive = (): DeviceTables => (state.isDown || mine !== state.opened ? lost() : disk);
    return {
      read: async (...given) => alive().read(...given),
      all: async (...given) => alive().all(...given),
      put: async (...given) => alive().put(...given),
      remove: async (...given) => alive().remove(...given),
      change: async (...given) => alive().change(...given),
      sizes: async () => alive().sizes(),
      clear: async () => alive().clear(),
    };
  };
  const lose = (): void => {
    state.opened += 1;
  };
  return { disk, state, open, lose };
}

test('a row that the page had is not shown any more when the device has a newer one', async () => {
  const device = unsteadyDevice();
  const tables = tablesOver(device.open);
  device.state.isDown = true;
  await tables.change('drafts', () => ({ put: [draft('a', 'old')], result: undefined }));
  device.state.isDown = false;
  await tables.change('drafts', () => ({ put: [draft('a', 'new')], result: undefined }));
  assert.equal((await tables.read('drafts', 'a'))?.text, 'new');
  assert.deepEqual(await tables.all('drafts'), [draft('a', 'new')]);
  await tables.change('drafts', () => ({ remove: ['a'], result: undefined }));
  assert.deepEqual(await tables.all('drafts'), []);
});

test('what was written to the outbox while the device failed is sent once when it works again', async () => {
  const device = unsteadyDevice();
  const tables = tablesOver(device.open);
  const sent: string[] = [];
  const outbox = createOutbox({
    store: createDeviceOutboxStore(tables, undefined),
    wire: {
      createThread: () => assert.fail(),
      cancel: () => assert.fail(),
      prompt: async (key) => {
        sent.push(key);
        assert.equal(sent.length, 1, 'it was sent more than once');
        return { kind: 'accepted', id: 'turn' };
      },
    },
    clock: createFakeClock(),
    random: createSeededRandom(1),
  });
  device.state.isDown = true;
  const thread = { kind: 'known', id: 'thread' } as const;
  const { key } = await outbox.write(thread, { kind: 'message', text: 'hello' });
  device.state.isDown = false;
  assert.equal(await outbox.flush(), 'done');
  assert.deepEqual(sent, [key]);
  assert.equal((await device.disk.read('outbox', key))?.state.kind, 'accepted');
});

test('when the device works again, the rows of every table move there, and it is said', async () => {
  const device = unsteadyDevice();
  const tables = tablesOver(device.open);
  device.state.isDown = true;
  await tables.put('drafts', draft('a', 'in the page'));
  await tables.put('notes', { key: 'b', value: 1 });
  await tables.put('snapshots', { key: 'c', value: 2, atMs: 1, bytes: 1 });
  assert.deepEqual(tables.standing.value, { kind: 'in-page', why: 'refused' });
  device.state.isDown = false;
  assert.equal((await tables.all('drafts')).length, 1);
  assert.deepEqual(tables.standing.value, { kind: 'kept' });
  assert.equal((await device.disk.read('drafts', 'a'))?.text, 'in the page');
  assert.equal((await device.disk.read('notes', 'b'))?.value, 1);
  assert.equal((await device.disk.read('snapshots', 'c'))?.value, 2);
});

test('on a full device rows stay in the page while it is only read, and move when there is room', async () => {
  const disk = createMemoryTables();
  const device = { ...disk, ...fullDevice(disk) };
  const tables = tablesOver(async () => device);
  await tables.put('drafts', draft('a', '1'));
  await tables.all('drafts');
  assert.deepEqual(tables.standing.value, { kind: 'in-page', why: 'full' });
  Object.assign(device, disk);
  await tables.put('drafts', draft('b', '2'));
  assert.deepEqual(tables.standing.value, { kind: 'kept' });
  assert.deepEqual((await disk.all('drafts')).map(({ key }) => key).toSorted(), ['a', 'b']);
});

test('a connection that was lost is made anew, for what is kept and for what is removed', async () => {
  const device = unsteadyDevice();
  const tables = tablesOver(device.open);
  await tables.put('drafts', draft('a', '1'));
  device.lose();
  await tables.put('drafts', draft('b', '2'));
  assert.equal((await device.disk.read('drafts', 'b'))?.text, '2');
  assert.deepEqual(tables.standing.value, { kind: 'kept' });
  device.lose();
  await tables.clear();
  assert.deepEqual(await device.disk.all('drafts'), []);
});

test('a device that opens late is used from then on; until it does, nobody waits for it a second time', async () => {
  const disk = createMemoryTables();
  const slow = Promise.withResolvers<DeviceTables>();
  const open = openInTime(() => slow.promise, { clock, ms: 4_000 });
  const tables = tablesOver(open);
  const writing = tables.put('drafts', draft('a', '1'));
  await clock.advance(4_000);
  await writing;
  await tables.put('drafts', draft('b', '2'));
  assert.deepEqual(tables.standing.value, { kind: 'in-page', why: 'refused' });
  slow.resolve(disk);
  await tables.put('drafts', draft('c', '3'));
  assert.deepEqual(tables.standing.value, { kind: 'kept' });
  assert.equal((await disk.all('drafts')).length, 3);
});

/* A device whose database is open and, while it is stuck, refuses late what it is asked for. */
function stuckDevice() {
  const disk = createMemoryTables();
  const state = { isStuck: true, asked: 0, opened: 0 };
  const late = (): never => {
    throw tooLate('it did not answer');
  };
  const ask = (): DeviceTables => {
    state.asked += 1;
    return state.isStuck ? late() : disk;
  };
  const open = async (): Promise<DeviceTables> => {
    state.opened += 1;
    return {
      ...disk,
      read: async (...given) => ask().read(...given),
      all: async (...given) => ask().all(...given),
      put: async (...given) => ask().put(...given),
      change: async (...given) => ask().change(...given),
      clear: async () => ask().clear(),
    };
  };
  return { disk, state, open };
}

test('a database that is open and does not answer is waited for once in a while, and used again when it answers', async () => {
  const device = stuckDevice();
  const clock = createFakeClock();
  const tables = tablesOver(device.open, { clock });
  await tables.put('drafts', draft('a', '1'));
  await tables.put('drafts', draft('b', '2'));
  assert.equal((await tables.read('drafts', 'a'))?.text, '1');
  assert.equal((await tables.all('drafts')).length, 2);
  assert.deepEqual(device.state, { isStuck: true, asked: 1, opened: 1 });
  assert.deepEqual(tables.standing.value, { kind: 'in-page', why: 'refused' });
  await clock.advance(15_000);
  await tables.put('drafts', draft('c', '3'));
  assert.deepEqual(device.state, { isStuck: true, asked: 2, opened: 2 });
  device.state.isStuck = false;
  await clock.advance(15_000);
  await tables.put('drafts', draft('d', '4'));
  assert.deepEqual(tables.standing.value, { kind: 'kept' });
  assert.equal((await device.disk.all('drafts')).length, 4);
});

test('a device that did not answer when it was to be wiped is wiped before anything of it is used', async () => {
  const device = stuckDevice();
  const clock = createFakeClock();
  const wipeMark = openWipeMark({ localStorage: createLocalStorage() });
  await device.disk.put('drafts', draft('a', "another's"));
  const tables = tablesOver(device.open, { clock, wipeMark });
  await tables.wipe();
  assert.equal(wipeMark.isSet(), true);
  await tables.put('drafts', draft('b', 'mine'));
  assert.deepEqual(await tables.all('drafts'), [draft('b', 'mine')]);
  device.state.isStuck = false;
  await clock.advance(15_000);
  assert.equal(await tables.read('drafts', 'a'), undefined);
  assert.deepEqual(await device.disk.all('drafts'), [draft('b', 'mine')]);
  assert.equal(wipeMark.isSet(), false);
});

test('a wipe in the middle of which the page was closed is finished at the next start, also where nothing is kept any more', async () => {
  const disk = createMemoryTables();
  const localStorage = createLocalStorage();
  await disk.put('drafts', draft('a', "another's"));
  openWipeMark({ localStorage }).set(true);
  const wipeMark = openWipeMark({ localStorage });
  const tables = tablesOver(async () => disk, { wipeMark, keepsNothing: () => true });
  assert.deepEqual(await tables.all('drafts'), []);
  await settled();
  assert.deepEqual(await disk.all('drafts'), []);
  assert.equal(wipeMark.isSet(), false);
});

test('a wipe is done, and done once, where its mark cannot be written', async () => {
  const disk = createMemoryTables();
  const localStorage = { ...createLocalStorage(), setItem: full };
  const tables = tablesOver(async () => disk, { wipeMark: openWipeMark({ localStorage }) });
  await tables.put('drafts', draft('a', "another's"));
  await tables.wipe();
  assert.deepEqual(await disk.all('drafts'), []);
  await tables.put('drafts', draft('b', 'mine'));
  assert.deepEqual(await tables.all('drafts'), [draft('b', 'mine')]);
});

test("what is written through a writer of before a wipe was another's, and is not kept; nor is anything removed by it", async () => {
  const storage = createPageStorage();
  const [early, late] = [storage.writer(), storage.writer()];
  await early.snapshot('threads', ['mine']);
  assert.deepEqual((await storage.snapshots.read('threads'))?.value, ['mine']);
  assert.equal(late.wiped.aborted, false);
  await storage.wipe();
  assert.equal(late.wiped.aborted, true);
  const all = () =>
    Promise.all(
      (['snapshots', 'drafts', 'notes'] as const).map((name) => storage.tables.all(name)),
    );
  await late.snapshot('threads', ['mine']);
  await late.draft('new-', 'mine');
  await late.addDraft('new-', 'mine');
  await late.note('account', 'me');
  assert.deepEqual(await all(), [[], [], []]);
  const next = storage.writer();
  await next.snapshot('threads', ["the next one's"]);
  await next.draft('new-', "the next one's");
  await late.draft('new-', '');
  assert.deepEqual((await storage.snapshots.read('threads'))?.value, ["the next one's"]);
  assert.equal(await storage.drafts.read('new-'), "the next one's");
});

test('a write that is under way at a wipe, and loses its connection, is not tried again after it', async () => {
  const device = unsteadyDevice();
  const { promise: isCut, resolve: cut } = Promise.withResolvers<void>();
  const open = async (): Promise<DeviceTables> => {
    const tables = await device.open();
    if (device.state.opened > 1) return tables;
    const wait = async (): Promise<never> => {
      await isCut;
      throw new DOMException('its connection was closed', 'InvalidStateError');
    };
    return { ...tables, put: wait, change: wait };
  };
  const tables = tablesOver(open);
  const writing = [
    tables.put('drafts', draft('a', 'mine')),
    tables.change('outbox', () => ({ put: [{ key: 'b' } as never], result: undefined })),
  ];
  await tables.read('drafts', 'a');
  const wiping = tables.wipe();
  cut();
  await Promise.all([...writing, wiping]);
  assert.deepEqual(await tables.all('drafts'), []);
  assert.deepEqual(await tables.all('outbox'), []);
  assert.deepEqual(await device.disk.all('drafts'), []);
});

/*
 * Two copies of what nobody else has. Whichever of them is lost, and wherever the page was killed, nothing that was done is undone, and
 * nothing that was removed or wiped comes back.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '@clawdfather/testkit';
import fc from 'fast-check';
import type { DeviceTables, TableName } from '../../src/storage/device-tables.ts';
import { createMemoryTables } from '../../src/storage/memory-tables.ts';
import { keepTwice } from '../../src/storage/second-copy.ts';

const draft = (key: string, text: string) => ({ key, text, atMs: 1 });
const account = { key: 'account', value: 'ann' };
const clock = createFakeClock();
const alone = { clock, lock: (work: () => Promise<void>) => work() };

const open = (first: DeviceTables, tables: DeviceTables): Promise<DeviceTables> =>
  keepTwice(first, { tables, remove: () => tables.clear() }, alone);

class Killed extends Error {}

/* Dies before its nth write, as a browser that is killed. */
function dying(copies: readonly DeviceTables[], writesLeft: number): readonly DeviceTables[] {
  let left = writesLeft;
  const write = <Given extends readonly unknown[], Result>(
    work: (...given: Given) => Promise<Result>,
  ) => {
    return async (...given: Given): Promise<Result> => {
      left -= 1;
      if (left < 0) throw new Killed();
      return work(...given);
    };
  };
  return copies.map((copy) => ({
    ...copy,
    put: write((table: TableName, row: never) => copy.put(table, row)),
    remove: write((table: TableName, keys: readonly string[]) => copy.remove(table, keys)),
    change: write((table: TableName, work: never) => copy.change(table, work)) as never,
    clear: write(() => copy.clear()),
  }));
}

async function textsOf(tables: DeviceTables): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries((await tables.all('drafts')).map(({ key, text }) => [key, text]));
}

test('what is written, changed and removed is so in both copies, snapshots aside', async () => {
  const [first, second] = [createMemoryTables(), createMemoryTables()];
  const tables = await open(first, second);
  await tables.put('notes', account);
  await tables.put('drafts', draft('a', '1'));
  await tables.change('drafts', () => ({ put: [draft('b', '2')], result: undefined }));
  await tables.remove('drafts', ['a']);
  await tables.put('snapshots', { key: 's', value: 1, atMs: 1, bytes: 1 });
  assert.deepEqual(await textsOf(first), { b: '2' });
  assert.deepEqual(await textsOf(second), { b: '2' });
  assert.deepEqual(await second.all('snapshots'), []);
  await tables.clear();
  assert.deepEqual([await first.all('notes'), await second.all('notes')], [[], []]);
});

type Step = { readonly key: string; readonly text: string | undefined };

const steps = fc.array(
  fc.record({
    key: fc.constantFrom('a', 'b', 'c'),
    text: fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 8 },
);

function after(done: readonly Step[]): Readonly<Record<string, string>> {
  const rows = new Map<string, string>();
  for (const { key, text } of done) {
    if (text === undefined) rows.delete(key);
    else rows.set(key, text);
  }
  return Object.fromEntries(rows);
}

test('killed before any write, with either copy lost: what was done is there, and what was under way is done or not', async () => {
  const loss = fc.constantFrom('none', 'first', 'second');
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(30), loss, async (wanted, writes, lost) => {
      const copies = [createMemoryTables(), createMemoryTables()] as const;
      const [begun, begunToo] = copies;
      await (await open(begun, begunToo)).put('notes', account);
      const [first = begun, second = begunToo] = dying(copies, writes);
      let done = 0;
      try {
        const tables = await open(first, second);
        for (const { key, text } of wanted) {
          await (text === undefined
            ? tables.remove('drafts', [key])
            : tables.put('drafts', draft(key, text)));
          done += 1;
        }
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
      }
      const found = await open(
        lost === 'first' ? createMemoryTables() : begun,
        lost === 'second' ? createMemoryTables() : begunToo,
      );
      const texts = JSON.stringify(sorted(await textsOf(found)));
      const allowed = [done, done + 1].map((count) =>
        JSON.stringify(sorted(after(wanted.slice(0, count)))),
      );
      assert.ok(allowed.includes(texts), `${texts} is none of ${allowed.join(' ')}`);
      assert.deepEqual(await found.all('notes'), [account]);
    }),
  );
});

function sorted(rows: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(rows).toSorted(([left], [right]) => (left < right ? -1 : 1));
}

test('what was wiped does not come back, wherever the page was killed and whichever copy is lost', async () => {
  for (const writes of [0, 1, 2]) {
    for (const lost of ['none', 'first', 'second'] as const) {
      const copies = [createMemoryTables(), createMemoryTables()] as const;
      const tables = await open(...copies);
      await tables.put('notes', account);
      await tables.put('drafts', draft('a', 'mine'));
      const [first = copies[0], second = copies[1]] = dying(copies, writes);
      const wiping = await open(first, second);
      const wasKilled = await wiping.clear().then(
        () => false,
        () => true,
      );
      const found = await open(
        lost === 'first' ? createMemoryTables() : copies[0],
        lost === 'second' ? createMemoryTables() : copies[1],
      );
      if (!wasKilled) assert.deepEqual(await found.all('drafts'), []);
      // Killed in between, either all of it is left, and is wiped at the next contact, or nothing.
      const notes = await found.all('notes');
      assert.equal(notes.length, (await found.all('drafts')).length);
    }
  }
});

test('a second copy that does not answer is given up, and what is wiped then does not come back from it', async () => {
  const [first, stuck] = [createMemoryTables(), createMemoryTables()];
  const silent: DeviceTables = { ...stuck, all: () => new Promise(() => {}) };
  const opening = open(first, silent);
  await clock.advance(10_000);
  const tables = await opening;
  await tables.put('notes', account);
  await tables.put('drafts', draft('a', '1'));
  assert.deepEqual(await textsOf(first), { a: '1' });
  await stuck.put('drafts', draft('a', 'stale'));
  await tables.clear();
  assert.deepEqual(await (await open(first, stuck)).all('drafts'), []);
});

/*
 * `npm run bench:store`: how many events a second the control database takes on SQLite, beside a bare `node:sqlite` loop that
 * does the same inserts with the same settings in the same run; and what its reads cost (store-reads.ts).
 *
 * Both write batches of 100 events for 8 threads, on the disk of the temporary directory, each batch synced. The bare loop
 * has eight batches in each transaction, as group commit gives them to the store. They take turns, so that a busy machine is
 * busy for both; the medians are compared.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { type AccountStore, openStore, parseAccountId } from '@clawdfather/store';
import { measureReads } from './store-reads.ts';

const threads = 8;
const batch = 100;
const batchesPerRound = 30;
const rounds = 7;
const eventsPerRound = threads * batch * batchesPerRound;
const payload = { text: 'x'.repeat(120), stream: 'stdout' };
const audit = { action: 'bench', actor: 'bench' };

const directory = mkdtempSync(join(tmpdir(), 'clf-bench-store-'));
try {
  await main();
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const clock = createSystemClock();
  const path = join(directory, 'store.db');
  await using store = await openStore(
    { kind: 'sqlite', path },
    { clock, random: createSystemRandom() },
  );
  const { id } = await store.system.accounts.ensureOwner({ displayName: 'bench', audit });
  const account = store.forAccount(parseAccountId(id));
  const threadIds = await createThreads(account);
  const bare = openBare(join(directory, 'bare.db'));

  const rates: Record<'store' | 'bare' | 'single', number[]> = { store: [], bare: [], single: [] };
  const measure = async (name: keyof typeof rates, count: number, work: () => unknown) => {
    const sinceMs = clock.monotonicMs();
    await work();
    rates[name].push((count * 1_000) / (clock.monotonicMs() - sinceMs));
  };
  for (let round = 0; round < rounds; round += 1) {
    await measure('bare', eventsPerRound, () => bare.round());
    await measure('store', eventsPerRound, () => storeRound(account, threadIds));
    await measure('single', threads * 40, () => singleRound(account, threadIds));
  }
  bare.close();
  const [ours, theirs, single] = [median(rates.store), median(rates.bare), median(rates.single)];
  print(`batches of ${batch} over ${threads} threads, ${rounds} rounds, medians`);
  print(`  bare node:sqlite   ${Math.round(theirs)} events/s`);
  print(`  store              ${Math.round(ours)} events/s, ${(ours / theirs).toFixed(2)} of bare`);
  print(`  one event each     ${Math.round(single)} appends/s from ${threads} at a time`);
  print('reads, microseconds each: store, bare node:sqlite, ratio');
  for (const { name, storeUs, bareUs } of await measureReads(store, path, clock)) {
    const numbers = [storeUs.toFixed(1), bareUs.toFixed(1), (storeUs / bareUs).toFixed(2)];
    print(`  ${name.padEnd(24)} ${numbers.join('  ')}`);
  }
}

async function createThreads(account: AccountStore): Promise<readonly string[]> {
  const owner = { instanceId: 'bench', generation: 1 };
  const made = await account.sessions.create({ agent: 'bench', owner, openMax: 1, audit });
  if (made.outcome !== 'created') throw new Error(made.outcome);
  const ids = Array.from({ length: threads }, (_, index) => `thread-${index}`);
  for (const id of ids) {
    await account.threads.create({ id, sessionId: made.session.id, title: id, audit });
  }
  return ids;
}

async function storeRound(account: AccountStore, threadIds: readonly string[]): Promise<void> {
  const events = Array.from({ length: batch }, () => ({ type: 'delta', payload }));
  await Promise.all(
    threadIds.map(async (threadId) => {
      for (let index = 0; index < batchesPerRound; index += 1) {
        const { outcome } = await account.events.append({ threadId, epoch: 1, events });
        if (outcome !== 'appended') throw new Error(outcome);
      }
    }),
  );
}

async function singleRound(account: AccountStore, threadIds: readonly string[]): Promise<void> {
  const events = [{ type: 'delta', payload }];
  await Promise.all(
    threadIds.map(async (threadId) => {
      for (let index = 0; index < 40; index += 1) {
        await account.events.append({ threadId, epoch: 1, events });
      }
    }),
  );
}

function openBare(path: string): { round(): void; close(): void } {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE threads (account_id TEXT, id TEXT, last_seq INTEGER, PRIMARY KEY (account_id, id)) STRICT;
    CREATE TABLE turn_events (account_id TEXT NOT NULL, thread_id TEXT NOT NULL, seq INTEGER NOT NULL,
      turn_id TEXT, type TEXT NOT NULL, payload_json TEXT NOT NULL, created_at_ms INTEGER NOT NULL,
      PRIMARY KEY (account_id, thread_id, seq)) STRICT, WITHOUT ROWID;`);
  const insert = db.prepare('INSERT INTO turn_events VALUES (?, ?, ?, ?, ?, ?, ?)');
  const update = db.prepare('UPDATE threads SET last_seq = ? WHERE account_id = ? AND id = ?');
  const account = 'account-of-16-ch';
  let seq = 0;
  const writeBatch = (thread: string): void => {
    for (let event = 1; event <= batch; event += 1) {
      insert.run(account, thread, seq + event, null, 'delta', JSON.stringify(payload), seq);
    }
    update.run(seq + batch, account, thread);
  };
  return {
    round: () => {
      for (let index = 0; index < batchesPerRound; index += 1) {
        db.exec('BEGIN IMMEDIATE');
        for (let thread = 0; thread < threads; thread += 1) writeBatch(`thread-${thread}`);
        db.exec('COMMIT');
        seq += batch;
      }
    },
    close: () => db.close(),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

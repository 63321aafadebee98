/*
 * `npm run bench:store`: how many audited writes a second the control database takes on SQLite, beside a bare `node:sqlite` loop
 * that makes the same rows with the same settings in the same run; and what its reads cost (store-reads.ts).
 *
 * A write is one entry of the audit log, which every change of the API makes: the account's next number and a row. It is
 * measured twice: from 8 callers at a time, each of which waits for its own, and 800 at a time. The bare loop has as many rows in
 * each transaction as group commit gives the store. They take turns, so that a busy machine is busy for both; the medians are
 * compared.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { type AccountStore, openStore, parseAccountId } from '@clawdfather/store';
import { measureReads } from './store-reads.ts';

const callers = 8;
const crowd = 800;
const crowdsPerRound = 12;
const writesEach = 40;
const rounds = 7;
const detail = { text: 'x'.repeat(120) };
const entry = { action: 'bench', actor: 'bench', detail };
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
  const bare = openBare(join(directory, 'bare.db'));

  const rates: Record<'store' | 'bare' | 'few', number[]> = { store: [], bare: [], few: [] };
  const measure = async (name: keyof typeof rates, count: number, work: () => unknown) => {
    const sinceMs = clock.monotonicMs();
    await work();
    rates[name].push((count * 1_000) / (clock.monotonicMs() - sinceMs));
  };
  for (let round = 0; round < rounds; round += 1) {
    await measure('bare', crowd * crowdsPerRound, () => bare.round());
    await measure('store', crowd * crowdsPerRound, () => crowdedRound(account));
    await measure('few', callers * writesEach, () => fewRound(account));
  }
  bare.close();
  const [ours, theirs, few] = [median(rates.store), median(rates.bare), median(rates.few)];
  print(`${crowd} writes at a time, ${rounds} rounds, medians`);
  print(`  bare node:sqlite   ${Math.round(theirs)} writes/s`);
  print(`  store              ${Math.round(ours)} writes/s, ${(ours / theirs).toFixed(2)} of bare`);
  print(`${callers} callers, each waits for its own`);
  print(`  store              ${Math.round(few)} writes/s`);
  print('reads, microseconds each: store, bare node:sqlite, ratio');
  for (const { name, storeUs, bareUs } of await measureReads(store, path, clock)) {
    const numbers = [storeUs.toFixed(1), bareUs.toFixed(1), (storeUs / bareUs).toFixed(2)];
    print(`  ${name.padEnd(24)} ${numbers.join('  ')}`);
  }
}

async function crowdedRound({ auditLog }: AccountStore): Promise<void> {
  for (let index = 0; index < crowdsPerRound; index += 1) {
    await Promise.all(Array.from({ length: crowd }, () => auditLog.record(entry)));
  }
}

async function fewRound({ auditLog }: AccountStore): Promise<void> {
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let index = 0; index < writesEach; index += 1) await auditLog.record(entry);
    }),
  );
}

function openBare(path: string): { round(): void; close(): void } {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE heads (account_id TEXT NOT NULL PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE log (account_id TEXT NOT NULL, seq INTEGER NOT NULL, action TEXT NOT NULL, actor TEXT NOT NULL,
      target TEXT, ip TEXT, trace_id TEXT, detail_json TEXT, at_ms INTEGER NOT NULL,
      PRIMARY KEY (account_id, seq)) STRICT, WITHOUT ROWID;
    CREATE INDEX log_action ON log (account_id, action, seq);
    INSERT INTO heads VALUES ('account-of-16-ch', 0)`);
  const next = db.prepare('UPDATE heads SET seq = seq + 1 WHERE account_id = ? RETURNING seq');
  const insert = db.prepare('INSERT INTO log VALUES (?, ?, ?, ?, NULL, NULL, NULL, ?, ?)');
  const account = 'account-of-16-ch';
  const write = (): void => {
    const seq = Number(next.get(account)?.['seq']);
    insert.run(account, seq, entry.action, entry.actor, JSON.stringify(detail), seq);
  };
  return {
    round: () => {
      for (let index = 0; index < crowdsPerRound; index += 1) {
        db.exec('BEGIN IMMEDIATE');
        for (let count = 0; count < crowd; count += 1) write();
        db.exec('COMMIT');
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

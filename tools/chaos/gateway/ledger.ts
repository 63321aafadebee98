/*
 * The little database of a chaos gateway: what it wants to run, and what each reader has read.
 *
 * Idea 5 in forty lines: bytes and cursor are stored in one transaction, and only if nobody else has moved the cursor
 * meanwhile. Whoever loses that race stops reading; what it had read is read again by the winner.
 *
 * One write connection per gateway; several gateways share the file.
 */
import { DatabaseSync } from 'node:sqlite';
import type { Cursor, RunExit } from '@clawdfather/supervisor';
import type { RunPlan } from '../plan/run-plan.ts';

export const readerNames = ['owner', 'observer'] as const;
export type ReaderName = (typeof readerNames)[number];

export interface ReaderKey {
  readonly reader: ReaderName;
  readonly runId: string;
}

export interface Piece {
  readonly before: string;
  readonly after: Cursor;
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Uint8Array;
}

export interface Ledger {
  /* A plan is written down before it is carried out. */
  addPlan(plan: RunPlan): void;
  plans(): readonly RunPlan[];
  /* Those that some reader has not read to the end, or whose exit nobody has told. */
  openPlans(): readonly RunPlan[];
  cursorOf(key: ReaderKey): string;
  /* False: another process was faster; nothing is stored. */
  consume(key: ReaderKey, piece: Piece): boolean;
  /* The reader has seen the end of the output. */
  close(key: ReaderKey): void;
  isClosed(key: ReaderKey): boolean;
  piecesOf(key: ReaderKey): readonly Piece[];
  bytesRead(reader: ReaderName): number;
  /* Every report of an exit counts; they must all be the same. */
  addExit(runId: string, exit: RunExit): void;
  exitsOf(runId: string): readonly RunExit[];
  shut(): void;
}

/* Another gateway's commit takes milliseconds; a killed one leaves no lock. */
const busyMs = 20_000;
export const startCursor = '0.0';

const schema = `
PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS plans (run_id TEXT PRIMARY KEY, plan TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS cursors (
  reader TEXT, run_id TEXT, cursor TEXT NOT NULL, is_closed INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (reader, run_id));
CREATE TABLE IF NOT EXISTS pieces (
  number INTEGER PRIMARY KEY, reader TEXT, run_id TEXT, before TEXT, after TEXT, stream TEXT, bytes BLOB);
CREATE INDEX IF NOT EXISTS pieces_of ON pieces (reader, run_id);
CREATE TABLE IF NOT EXISTS exits (run_id TEXT, exit TEXT);
CREATE INDEX IF NOT EXISTS exits_of ON exits (run_id);
`;

const openPlansSql = `
SELECT plan FROM plans p WHERE NOT EXISTS (SELECT 1 FROM exits e WHERE e.run_id = p.run_id)
  OR (SELECT count(*) FROM cursors c WHERE c.run_id = p.run_id AND is_closed) < ${readerNames.length}`;

export function openLedger(file: string): Ledger {
  const db = new DatabaseSync(file, { timeout: busyMs });
  db.exec(schema);
  const move = db.prepare(
    'UPDATE cursors SET cursor = ? WHERE reader = ? AND run_id = ? AND cursor = ?',
  );
  const store = db.prepare(
    'INSERT INTO pieces (reader, run_id, before, after, stream, bytes) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const all = (sql: string, ...values: readonly string[]): readonly Row[] =>
    db.prepare(sql).all(...values);

  return {
    addPlan: (plan) =>
      void db
        .prepare('INSERT OR IGNORE INTO plans VALUES (?, ?)')
        .run(plan.runId, JSON.stringify(plan)),
    plans: () => all('SELECT plan FROM plans').map(parsePlan),
    openPlans: () => all(openPlansSql).map(parsePlan),
    cursorOf: ({ reader, runId }) => {
      db.prepare('INSERT OR IGNORE INTO cursors (reader, run_id, cursor) VALUES (?, ?, ?)').run(
        reader,
        runId,
        startCursor,
      );
      const [row] = all(
        'SELECT cursor FROM cursors WHERE reader = ? AND run_id = ?',
        reader,
        runId,
      );
      return String(row?.['cursor']);
    },
    consume: ({ reader, runId }, { before, after, stream, bytes }) => {
      db.exec('BEGIN IMMEDIATE');
      try {
        const isOurs = Number(move.run(after, reader, runId, before).changes) === 1;
        if (isOurs) store.run(reader, runId, before, after, stream, bytes);
        db.exec('COMMIT');
        return isOurs;
      } catch (error) {
        if (db.isTransaction) db.exec('ROLLBACK');
        throw error;
      }
    },
    close: ({ reader, runId }) =>
      void db
        .prepare('UPDATE cursors SET is_closed = 1 WHERE reader = ? AND run_id = ?')
        .run(reader, runId),
    isClosed: ({ reader, runId }) =>
      all('SELECT 1 FROM cursors WHERE reader = ? AND run_id = ? AND is_closed', reader, runId)
        .length > 0,
    piecesOf: ({ reader, runId }) =>
      all(
        'SELECT * FROM pieces WHERE reader = ? AND run_id = ? ORDER BY number',
        reader,
        runId,
      ).map(parsePiece),
    bytesRead: (reader) => {
      const [row] = all('SELECT sum(length(bytes)) AS bytes FROM pieces WHERE reader = ?', reader);
      return Number(row?.['bytes'] ?? 0);
    },
    addExit: (runId, exit) =>
      void db.prepare('INSERT INTO exits VALUES (?, ?)').run(runId, JSON.stringify(exit)),
    exitsOf: (runId) =>
      all('SELECT exit FROM exits WHERE run_id = ?', runId).map(
        ({ exit }) => JSON.parse(String(exit)) as RunExit,
      ),
    shut: () => db.close(),
  };
}

type Row = Readonly<Record<string, unknown>>;

function parsePlan({ plan }: Row): RunPlan {
  return JSON.parse(String(plan)) as RunPlan;
}

function parsePiece(row: Row): Piece {
  return {
    before: String(row['before']),
    after: String(row['after']) as Cursor,
    stream: row['stream'] === 'stderr' ? 'stderr' : 'stdout',
    bytes: row['bytes'] as Uint8Array,
  };
}

/*
 * What years leave in a control database: finished threads, and a long one. Rows are copies of real ones, so this knows few columns.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

const eventsOfThread = 10;

type Columns = Readonly<Record<string, SQLInputValue>>;

/* Each with a turn, a run that has ended, and some events, like those of this thread. */
export function addFinished(path: string, threadId: string, count: number): void {
  inTransaction(path, (database) => {
    const thread = createCopier(database, 'threads', { id: threadId });
    const turn = createCopier(database, 'turns', { thread_id: threadId });
    const run = createCopier(database, 'agent_runs', { thread_id: threadId });
    const event = createCopier(database, 'turn_events', { thread_id: threadId, type: 'delta' });
    for (let number = 0; number < count; number += 1) {
      const id = `old-${number}`;
      thread({ id, status: 'ready', last_seq: eventsOfThread });
      turn({ id: `turn-${number}`, thread_id: id, status: 'completed', ended_at_ms: 2 });
      run({ run_id: `run-${number}`, thread_id: id, state: 'closed', ended_at_ms: 2 });
      for (let seq = 1; seq <= eventsOfThread; seq += 1) event({ thread_id: id, seq });
    }
  });
}

/* Like those of another thread. Nobody may have this one in hand. */
export function addEvents(
  path: string,
  { threadId, like, count }: { threadId: string; like: string; count: number },
): void {
  inTransaction(path, (database) => {
    const lastSeq = database.prepare('SELECT last_seq FROM threads WHERE id = ?');
    const from = Number(lastSeq.get(threadId)?.['last_seq']);
    const event = createCopier(database, 'turn_events', { thread_id: like, type: 'delta' });
    for (let seq = from + 1; seq <= from + count; seq += 1) event({ thread_id: threadId, seq });
    database
      .prepare('UPDATE threads SET last_seq = ?, version = version + 1 WHERE id = ?')
      .run(from + count, threadId);
  });
}

/* Inserts the row that was found, with other values in some columns. */
function createCopier(
  database: DatabaseSync,
  table: string,
  where: Columns,
): (changed: Columns) => void {
  const names = Object.keys(where);
  const condition = names.map((name) => `${name} = ?`).join(' AND ');
  const select = database.prepare(`SELECT * FROM ${table} WHERE ${condition} LIMIT 1`);
  const row = select.get(...Object.values(where));
  if (row === undefined) throw new Error(`there is no row of ${table} to copy`);
  const columns = Object.keys(row);
  const marks = columns.map(() => '?').join(', ');
  const insert = database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`);
  return (changed) => {
    const values: Columns = { ...row, ...changed };
    insert.run(...columns.map((column) => values[column] ?? null));
  };
}

function inTransaction(path: string, work: (database: DatabaseSync) => void): void {
  using database = new DatabaseSync(path);
  database.exec('BEGIN IMMEDIATE');
  work(database);
  database.exec('COMMIT');
}

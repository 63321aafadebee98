/*
 * What years leave in a control database: finished threads, and a long one.
 */
import { DatabaseSync } from 'node:sqlite';

const eventsOfThread = 10;

/* Each with a turn, a run that has ended, and some events. */
export function addFinished(path: string, accountId: string, count: number): void {
  inTransaction(path, (database) => {
    const thread = database.prepare(
      `INSERT INTO threads (account_id, id, version, agent, cwd, title, status, instance_id, last_seq, created_at_ms, updated_at_ms)
       VALUES (?, ?, 1, 'streaming', '/', 'old', 'ready', 'gone', ${eventsOfThread}, 1, 1)`,
    );
    const turn = database.prepare(
      `INSERT INTO turns (account_id, id, thread_id, place, status, prompt_json, load_class, requester, requeued_count, queued_at_ms, started_at_ms, ended_at_ms)
       VALUES (?, ?, ?, 1, 'completed', '[]', 'long_task', 'device:1', 0, 1, 1, 2)`,
    );
    const run = database.prepare(
      `INSERT INTO agent_runs (account_id, run_id, thread_id, lease_id, instance_id, epoch, state, phase, command_hash, cursor, accepted_input, next_call_id, next_input_offset, replayed_count, started_at_ms, ended_at_ms)
       VALUES (?, ?, ?, 'lease', 'gone', 1, 'closed', 'ready', 'hash', '0', 0, 1, 0, 0, 1, 2)`,
    );
    const event = prepareEvent(database);
    for (let number = 0; number < count; number += 1) {
      const threadId = `old-${number}`;
      thread.run(accountId, threadId);
      turn.run(accountId, `turn-${number}`, threadId);
      run.run(accountId, `run-${number}`, threadId);
      for (let seq = 1; seq <= eventsOfThread; seq += 1) event.run(accountId, threadId, seq);
    }
  });
}

/* The thread must be in nobody's hands. */
export function addEvents(path: string, threadId: string, count: number): void {
  inTransaction(path, (database) => {
    const thread = database.prepare('SELECT account_id, last_seq FROM threads WHERE id = ?');
    const { account_id: accountId = '', last_seq: lastSeq } = thread.get(threadId) ?? {};
    const event = prepareEvent(database);
    const from = Number(lastSeq);
    for (let seq = from + 1; seq <= from + count; seq += 1) event.run(accountId, threadId, seq);
    database
      .prepare('UPDATE threads SET last_seq = ?, version = version + 1 WHERE id = ?')
      .run(from + count, threadId);
  });
}

function prepareEvent(database: DatabaseSync) {
  return database.prepare(
    `INSERT INTO turn_events (account_id, thread_id, seq, type, payload_json, at_ms)
     VALUES (?, ?, ?, 'delta', '{"role":"agent","text":"some words of long ago"}', 1)`,
  );
}

function inTransaction(path: string, work: (database: DatabaseSync) => void): void {
  using database = new DatabaseSync(path);
  database.exec('BEGIN IMMEDIATE');
  work(database);
  database.exec('COMMIT');
}

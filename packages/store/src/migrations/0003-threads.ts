/*
 * Version 3: threads, turns and their events. Immutable once released.
 *
 * - `last_seq` of a thread is its events' only counter: numbers are handed out by adding to it, so they have no gaps.
 * - `event_cursors` says up to where a source (a run's journal, say) was turned into events; it is written together with them.
 * - Approvals are not here: they live in the registry of the host on which the command would run, with a gateway or without.
 */
import type { Migration } from './migration.ts';

export const migration0003: Migration = {
  version: 3,
  name: 'threads',
  statements: ({ integer, tableEnd, keyedTableEnd }) => [
    `CREATE TABLE threads (
      account_id TEXT NOT NULL,
      id TEXT NOT NULL,
      session_id TEXT NOT NULL,
      title TEXT NOT NULL,
      lifecycle_status TEXT NOT NULL CHECK (lifecycle_status IN ('ready', 'queued', 'running', 'archived')),
      last_turn_id TEXT,
      pending_turn_id TEXT,
      last_result_code TEXT,
      last_seq ${integer} NOT NULL,
      created_at_ms ${integer} NOT NULL,
      updated_at_ms ${integer} NOT NULL,
      PRIMARY KEY (account_id, id),
      FOREIGN KEY (account_id, session_id) REFERENCES session_leases (account_id, id)
    ${tableEnd}`,
    `CREATE INDEX threads_newest ON threads (account_id, created_at_ms)`,
    `CREATE INDEX threads_session ON threads (account_id, session_id)`,
    `CREATE TABLE turns (
      account_id TEXT NOT NULL,
      id TEXT NOT NULL,
      thread_id TEXT NOT NULL,
      session_id TEXT NOT NULL,
      run_id TEXT,
      status TEXT NOT NULL
        CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled', 'interrupted')),
      agent TEXT NOT NULL,
      model TEXT,
      load_class TEXT NOT NULL,
      prompt TEXT NOT NULL,
      client_message_id TEXT,
      metadata_json TEXT,
      progress_json TEXT,
      result_json TEXT,
      artifacts_json TEXT,
      queued_at_ms ${integer} NOT NULL,
      started_at_ms ${integer},
      deadline_at_ms ${integer},
      ended_at_ms ${integer},
      PRIMARY KEY (account_id, id),
      FOREIGN KEY (account_id, thread_id) REFERENCES threads (account_id, id)
    ${tableEnd}`,
    `CREATE INDEX turns_thread ON turns (account_id, thread_id, queued_at_ms)`,
    `CREATE UNIQUE INDEX turns_message ON turns (account_id, thread_id, client_message_id)
      WHERE client_message_id IS NOT NULL`,
    `CREATE INDEX turns_open ON turns (status, queued_at_ms) WHERE ended_at_ms IS NULL`,
    `CREATE INDEX turns_open_session ON turns (account_id, session_id) WHERE ended_at_ms IS NULL`,
    `CREATE TABLE turn_events (
      account_id TEXT NOT NULL,
      thread_id TEXT NOT NULL,
      seq ${integer} NOT NULL,
      turn_id TEXT,
      type TEXT NOT NULL,
      payload_json TEXT NOT NULL,
      created_at_ms ${integer} NOT NULL,
      PRIMARY KEY (account_id, thread_id, seq),
      FOREIGN KEY (account_id, thread_id) REFERENCES threads (account_id, id)
    ${keyedTableEnd}`,
    `CREATE TABLE event_cursors (
      account_id TEXT NOT NULL,
      thread_id TEXT NOT NULL,
      source TEXT NOT NULL,
      cursor TEXT NOT NULL,
      updated_at_ms ${integer} NOT NULL,
      PRIMARY KEY (account_id, thread_id, source),
      FOREIGN KEY (account_id, thread_id) REFERENCES threads (account_id, id)
    ${keyedTableEnd}`,
  ],
};

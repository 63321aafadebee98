/*
 * Version 12: what happens in an account as one numbered stream, notices to its person, and how far each thread was looked at.
 * Immutable once released.
 *
 * - `account_event_heads.seq` is the only counter of an account's events; `kept_from_seq` says from which one on they are kept.
 * - `key` names what an event or a notice is about, where it is told by somebody who may tell it twice.
 * - Notices that still want something, and deliveries that are still to be made, have indexes of their own, so that finding them costs
 *   the same with ten and a million old ones.
 */
import type { ColumnTypes, Migration } from './migration.ts';

export const migration0012: Migration = {
  version: 12,
  name: 'account-events',
  statements: (types) => [
    ...eventStatements(types),
    ...noticeStatements(types),
    `ALTER TABLE threads ADD COLUMN seen_seq ${types.integer} NOT NULL DEFAULT 0`,
    noticesOfAsks,
  ],
};

/** What agents wait for is in the inbox; it was told when it was asked. */
const noticesOfAsks = `INSERT INTO notices
  (account_id, id, class, key, thread_id, subject_id, detail_json, created_at_ms, planned_at_ms)
  SELECT account_id, id, CASE class WHEN 'question' THEN 'question' ELSE 'approval' END, 'ask:' || id,
    thread_id, id, '{}', asked_at_ms, asked_at_ms FROM acp_asks WHERE state = 'open'`;

function eventStatements({ integer, tableEnd, keyedTableEnd }: ColumnTypes): readonly string[] {
  return [
    `CREATE TABLE account_event_heads (
      account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id),
      seq ${integer} NOT NULL,
      kept_from_seq ${integer} NOT NULL DEFAULT 1
    ${tableEnd}`,
    `CREATE TABLE account_events (
      account_id TEXT NOT NULL REFERENCES accounts (id),
      seq ${integer} NOT NULL,
      type TEXT NOT NULL,
      thread_id TEXT,
      subject_id TEXT NOT NULL,
      payload_json TEXT NOT NULL,
      key TEXT,
      at_ms ${integer} NOT NULL,
      PRIMARY KEY (account_id, seq)
    ${keyedTableEnd}`,
    `CREATE UNIQUE INDEX account_events_key ON account_events (account_id, key) WHERE key IS NOT NULL`,
  ];
}

function noticeStatements({ integer, tableEnd }: ColumnTypes): readonly string[] {
  return [
    `CREATE TABLE notices (
      account_id TEXT NOT NULL REFERENCES accounts (id),
      id TEXT NOT NULL,
      class TEXT NOT NULL CHECK (class IN ('approval', 'question', 'done', 'failed', 'host_lost')),
      key TEXT NOT NULL,
      thread_id TEXT,
      thread_seq ${integer},
      subject_id TEXT NOT NULL,
      detail_json TEXT NOT NULL,
      created_at_ms ${integer} NOT NULL,
      seen_at_ms ${integer},
      resolved_at_ms ${integer},
      resolution TEXT,
      planned_at_ms ${integer},
      PRIMARY KEY (account_id, id),
      CHECK ((resolved_at_ms IS NULL) = (resolution IS NULL))
    ${tableEnd}`,
    `CREATE UNIQUE INDEX notices_key ON notices (account_id, key)`,
    `CREATE INDEX notices_newest ON notices (account_id, created_at_ms)`,
    `CREATE INDEX notices_open ON notices (account_id, class, created_at_ms) WHERE resolved_at_ms IS NULL`,
    `CREATE INDEX notices_open_thread ON notices (account_id, thread_id, class) WHERE resolved_at_ms IS NULL`,
    `CREATE INDEX notices_open_subject ON notices (account_id, subject_id) WHERE resolved_at_ms IS NULL`,
    `CREATE INDEX notices_unplanned ON notices (created_at_ms) WHERE planned_at_ms IS NULL`,
    `CREATE INDEX notices_resolved ON notices (resolved_at_ms) WHERE resolved_at_ms IS NOT NULL`,
    `CREATE TABLE notice_deliveries (
      account_id TEXT NOT NULL,
      notice_id TEXT NOT NULL,
      channel TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'sent', 'failed', 'skipped')),
      attempts ${integer} NOT NULL,
      due_at_ms ${integer} NOT NULL,
      sender_id TEXT,
      sender_generation ${integer},
      reason TEXT,
      settled_at_ms ${integer},
      PRIMARY KEY (account_id, notice_id, channel),
      FOREIGN KEY (account_id, notice_id) REFERENCES notices (account_id, id) ON DELETE CASCADE,
      CHECK ((state IN ('pending', 'sending')) = (settled_at_ms IS NULL))
    ${tableEnd}`,
    `CREATE INDEX notice_deliveries_due ON notice_deliveries (due_at_ms) WHERE settled_at_ms IS NULL`,
  ];
}

/*
 * Version 16: what turns leave in their directories. Immutable once released.
 *
 * - A row of `artifact_syncs` is made with the end of its turn, and found by the gateway that it names while it is `syncing`.
 * - `artifacts` has a row per file; its bytes are files beside the database, named by their hash. A row without `removed_at_ms` keeps them.
 * - A name of a file is chosen by an agent, so it is JSON.
 */
import type { Migration } from './migration.ts';

export const migration0016: Migration = {
  version: 16,
  name: 'artifacts',
  statements: ({ integer, tableEnd }) => [
    `ALTER TABLE turns ADD COLUMN artifact_dirs_json TEXT`,
    `CREATE TABLE artifact_syncs (
      account_id TEXT NOT NULL,
      turn_id TEXT NOT NULL,
      thread_id TEXT NOT NULL,
      instance_id TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('syncing', 'no-artifacts', 'synced', 'partial', 'failed')),
      missing_json TEXT NOT NULL,
      missing_count ${integer} NOT NULL,
      item_count ${integer} NOT NULL,
      asked_at_ms ${integer} NOT NULL,
      ended_at_ms ${integer},
      PRIMARY KEY (account_id, turn_id),
      FOREIGN KEY (account_id, turn_id) REFERENCES turns (account_id, id),
      CHECK ((status = 'syncing') = (ended_at_ms IS NULL))
    ${tableEnd}`,
    `CREATE INDEX artifact_syncs_thread ON artifact_syncs (account_id, thread_id, asked_at_ms)`,
    `CREATE INDEX artifact_syncs_open_thread ON artifact_syncs (account_id, thread_id, asked_at_ms)
      WHERE ended_at_ms IS NULL`,
    `CREATE INDEX artifact_syncs_open ON artifact_syncs (instance_id, asked_at_ms) WHERE ended_at_ms IS NULL`,
    `CREATE TABLE artifacts (
      account_id TEXT NOT NULL,
      id TEXT NOT NULL,
      turn_id TEXT NOT NULL,
      place ${integer} NOT NULL,
      relative_path_json TEXT NOT NULL,
      size_bytes ${integer} NOT NULL,
      sha256 TEXT NOT NULL,
      news TEXT NOT NULL CHECK (news IN ('new', 'changed', 'unchanged')),
      modified_at_ms ${integer} NOT NULL,
      kept_at_ms ${integer} NOT NULL,
      removed_at_ms ${integer},
      PRIMARY KEY (account_id, id),
      FOREIGN KEY (account_id, turn_id) REFERENCES artifact_syncs (account_id, turn_id)
    ${tableEnd}`,
    `CREATE UNIQUE INDEX artifacts_turn ON artifacts (account_id, turn_id, place)`,
    `CREATE INDEX artifacts_id ON artifacts (id)`,
    `CREATE INDEX artifacts_content ON artifacts (account_id, sha256) WHERE removed_at_ms IS NULL`,
    `CREATE INDEX artifacts_kept ON artifacts (kept_at_ms) WHERE removed_at_ms IS NULL`,
  ],
};

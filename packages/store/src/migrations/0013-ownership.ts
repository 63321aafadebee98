/*
 * Version 13: who is above a thread, who is woken when a turn ends, and the keys of agents. Immutable once released.
 *
 * - `ancestors_json` and `root_id` are written when a thread is made. Threads of before have nobody above them: nothing is guessed.
 * - `wake_id` of a turn is the thread to be told of its end; `wake_outcome` says what came of that. The index has those that are due.
 * - An agent's key is known by its hash, and goes with the row of its run.
 */
import type { Migration } from './migration.ts';

export const migration0013: Migration = {
  version: 13,
  name: 'ownership',
  statements: ({ integer, tableEnd }) => [
    `ALTER TABLE threads ADD COLUMN ancestors_json TEXT NOT NULL DEFAULT '[]'`,
    `ALTER TABLE threads ADD COLUMN root_id TEXT`,
    `CREATE INDEX threads_root ON threads (account_id, root_id, created_at_ms) WHERE root_id IS NOT NULL`,
    `ALTER TABLE turns ADD COLUMN wake_id TEXT`,
    `ALTER TABLE turns ADD COLUMN wake_outcome TEXT`,
    `CREATE INDEX turns_wakes ON turns (ended_at_ms, account_id, id)
      WHERE wake_id IS NOT NULL AND wake_outcome IS NULL AND ended_at_ms IS NOT NULL`,
    `CREATE TABLE agent_keys (
      account_id TEXT NOT NULL,
      run_id TEXT NOT NULL,
      key_hash TEXT NOT NULL,
      created_at_ms ${integer} NOT NULL,
      PRIMARY KEY (account_id, run_id),
      FOREIGN KEY (account_id, run_id) REFERENCES agent_runs (account_id, run_id) ON DELETE CASCADE
    ${tableEnd}`,
    `CREATE UNIQUE INDEX agent_keys_hash ON agent_keys (key_hash)`,
  ],
};

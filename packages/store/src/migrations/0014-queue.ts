/*
 * Version 14: the one queue of turns. Immutable once released.
 *
 * - `agent` is that of the thread, which never changes: lanes are counted by it.
 * - `priority` and `queue_key` are a turn's place in the queue of its account, and of its thread.
 * - `ready_at_ms` is there while a turn waits for nothing but room: it is the first of its thread, and none runs there. What a look at the
 *   queue reads is found by it, however many wait behind.
 * - `instance_id` is the gateway that has admitted it.
 *
 * Turns that wait when this runs keep the order in which they came.
 */
import type { Migration } from './migration.ts';

export const migration0014: Migration = {
  version: 14,
  name: 'queue',
  statements: ({ integer }) => [
    `ALTER TABLE turns ADD COLUMN agent TEXT NOT NULL DEFAULT ''`,
    `ALTER TABLE turns ADD COLUMN priority ${integer} NOT NULL DEFAULT 0`,
    `ALTER TABLE turns ADD COLUMN queue_key ${integer} NOT NULL DEFAULT 0`,
    `ALTER TABLE turns ADD COLUMN not_before_ms ${integer}`,
    `ALTER TABLE turns ADD COLUMN ready_at_ms ${integer}`,
    `ALTER TABLE turns ADD COLUMN instance_id TEXT`,
    `UPDATE turns SET agent = (SELECT threads.agent FROM threads
      WHERE threads.account_id = turns.account_id AND threads.id = turns.thread_id)`,
    `UPDATE turns SET queue_key = queued_at_ms * 1024 WHERE status = 'queued'`,
    `UPDATE turns SET ready_at_ms = queued_at_ms WHERE status = 'queued' AND NOT EXISTS (
      SELECT 1 FROM turns AS other WHERE other.account_id = turns.account_id
        AND other.thread_id = turns.thread_id AND other.ended_at_ms IS NULL AND other.place < turns.place)`,
    `UPDATE turns SET instance_id = (SELECT agent_runs.instance_id FROM agent_runs
      WHERE agent_runs.account_id = turns.account_id AND agent_runs.run_id = turns.run_id)
      WHERE status = 'running'`,
    `CREATE INDEX turns_queue ON turns (account_id, priority DESC, queue_key, place, id) WHERE status = 'queued'`,
    `CREATE INDEX turns_queue_end ON turns (account_id, queue_key) WHERE status = 'queued'`,
    `CREATE INDEX turns_ready ON turns (account_id, agent, priority DESC, queue_key, place, id)
      WHERE ready_at_ms IS NOT NULL`,
    `CREATE INDEX turns_overdue ON turns (agent, ready_at_ms) WHERE ready_at_ms IS NOT NULL`,
    `CREATE INDEX turns_waiting ON turns (agent, queued_at_ms) WHERE status = 'queued'`,
  ],
};

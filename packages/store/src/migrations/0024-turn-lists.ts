/*
 * Version 24: turns of an account, newest first, and those of one run. Immutable once released.
 *
 * - `turns_ended` is for lists over all threads: of each status they read the newest few, however many turns there have been.
 * - `turns_run` finds a turn by the run of its agent, also when the record of that run is gone.
 */
import type { Migration } from './migration.ts';

export const migration0024: Migration = {
  version: 24,
  name: 'turn-lists',
  statements: () => [
    `CREATE INDEX turns_ended ON turns (account_id, status, queued_at_ms, place, id) WHERE ended_at_ms IS NOT NULL`,
    `CREATE INDEX turns_run ON turns (account_id, run_id) WHERE run_id IS NOT NULL`,
  ],
};

/*
 * Version 21: which threads a person has pinned, and since when. Immutable once released.
 *
 * Few are: the index has only those.
 */
import type { Migration } from './migration.ts';

export const migration0021: Migration = {
  version: 21,
  name: 'thread-pins',
  statements: ({ integer }) => [
    `ALTER TABLE threads ADD COLUMN pinned_at_ms ${integer}`,
    `CREATE INDEX threads_pinned ON threads (account_id, created_at_ms) WHERE pinned_at_ms IS NOT NULL`,
  ],
};

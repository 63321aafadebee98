/*
 * Version 15: what reading a thread back needs. Immutable once released.
 *
 * - The beginning of a payload that is a blob, so that a list shows the event without reading the blob.
 * - What tools did in a turn is found without reading the text between; only events of tools are in that index.
 * - A row for every start of a gateway: a reader who comes back is told which ones there were meanwhile.
 */
import type { Migration } from './migration.ts';

export const migration0015: Migration = {
  version: 15,
  name: 'history',
  statements: ({ integer, tableEnd }) => [
    `ALTER TABLE turn_events ADD COLUMN brief_json TEXT`,
    `CREATE INDEX turn_events_tools ON turn_events (account_id, thread_id, turn_id, seq) WHERE type = 'tool'`,
    `CREATE TABLE gateway_starts (
      instance_id TEXT NOT NULL,
      generation ${integer} NOT NULL,
      version TEXT NOT NULL,
      started_at_ms ${integer} NOT NULL,
      PRIMARY KEY (instance_id, generation)
    ${tableEnd}`,
    `CREATE INDEX gateway_starts_newest ON gateway_starts (started_at_ms)`,
  ],
};

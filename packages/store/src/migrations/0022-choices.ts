/*
 * Version 22: what agents let people choose, and what people have chosen for their threads. Immutable once released.
 *
 * - `agent_choices` has one row for each agent and host: what a session last offered. '' is the gateway's own machine.
 * - Of a thread: what was chosen, and how its session stands. Of a run: all that its session offers, and what is being set.
 */
import type { Migration } from './migration.ts';

export const migration0022: Migration = {
  version: 22,
  name: 'choices',
  statements: ({ integer, keyedTableEnd }) => [
    `ALTER TABLE threads ADD COLUMN chosen_json TEXT`,
    `ALTER TABLE threads ADD COLUMN current_choices_json TEXT`,
    `ALTER TABLE agent_runs ADD COLUMN choices_json TEXT`,
    `ALTER TABLE agent_runs ADD COLUMN setting_json TEXT`,
    `CREATE TABLE agent_choices (
      account_id TEXT NOT NULL REFERENCES accounts (id),
      connection_id TEXT NOT NULL,
      agent TEXT NOT NULL,
      choices_json TEXT NOT NULL,
      seen_at_ms ${integer} NOT NULL,
      PRIMARY KEY (account_id, connection_id, agent)
    ${keyedTableEnd}`,
  ],
};

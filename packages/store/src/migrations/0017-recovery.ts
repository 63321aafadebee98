/*
 * Version 17: what a lost agent or host was lost with. Immutable once released.
 *
 * - `agent_runs.seen_by`: the start of its gateway that last saw the process alive. NULL in rows from before, which proves nothing.
 * - `turns.reaching_json`: the tries for a host that does not answer; `first_output_at_ms`: an agent that fails before that has
 *   interrupted nothing.
 */
import type { Migration } from './migration.ts';

export const migration0017: Migration = {
  version: 17,
  name: 'recovery',
  statements: ({ integer }) => [
    `ALTER TABLE agent_runs ADD COLUMN seen_by ${integer}`,
    `ALTER TABLE turns ADD COLUMN reaching_json TEXT`,
    `ALTER TABLE turns ADD COLUMN first_output_at_ms ${integer}`,
  ],
};

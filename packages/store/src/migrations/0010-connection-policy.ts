/*
 * Version 10: what a person lets agents do on a host: `ask` (as agents' commands are judged everywhere) or `full`. Immutable once
 * released.
 */
import type { Migration } from './migration.ts';

export const migration0010: Migration = {
  version: 10,
  name: 'connection-policy',
  statements: () => [
    `ALTER TABLE ssh_connections ADD COLUMN policy TEXT NOT NULL DEFAULT 'ask' CHECK (policy IN ('ask', 'full'))`,
  ],
};

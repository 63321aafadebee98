/*
 * Version 23: why the last test of a connection failed, in one word. Immutable once released.
 */
import type { Migration } from './migration.ts';

export const migration0023: Migration = {
  version: 23,
  name: 'test-cause',
  statements: () => ['ALTER TABLE ssh_connections ADD COLUMN test_cause TEXT'],
};

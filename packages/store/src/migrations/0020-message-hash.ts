/*
 * Version 20: what was asked under the id of a message. Immutable once released.
 *
 * NULL in rows from before, and of messages that nobody sends again: nothing is compared with them.
 */
import type { Migration } from './migration.ts';

export const migration0020: Migration = {
  version: 20,
  name: 'message-hash',
  statements: () => [`ALTER TABLE turns ADD COLUMN message_hash TEXT`],
};

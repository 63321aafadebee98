/*
 * Version 9: the key that a connection is to have, while its present one is being rotated. Immutable once released.
 *
 * `keypair_id` stays what it is until a login has proven the next one (docs/decisions/0028-rotation-by-proof.md).
 */
import type { Migration } from './migration.ts';

export const migration0009: Migration = {
  version: 9,
  name: 'key-rotation',
  statements: () => [
    `ALTER TABLE ssh_connections ADD COLUMN next_keypair_id TEXT`,
    `CREATE INDEX ssh_connections_next_keypair ON ssh_connections (account_id, next_keypair_id) WHERE next_keypair_id IS NOT NULL`,
  ],
};

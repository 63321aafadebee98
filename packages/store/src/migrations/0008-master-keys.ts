/*
 * Version 8: which master keys this database was used with, so that a start without them is noticed. Immutable once released.
 *
 * A key is named by the id that every secret it wraps carries in clear (packages/ssh): a part of a hash of the key, which tells
 * nothing about it. The keys that wrap the secrets of an older database are noted at once, those without a secret at the next start.
 */
import type { Migration } from './migration.ts';

/** The third word of `clf-envelope.1.ID.…`, of every secret that may still be opened. */
export const masterKeysInUse = `SELECT DISTINCT substr(private_enc, 16, 16) AS id
  FROM agent_keypairs WHERE status <> 'revoked' AND private_enc LIKE 'clf-envelope.1.%'`;

export const migration0008: Migration = {
  version: 8,
  name: 'master-keys',
  statements: ({ integer, tableEnd }) => [
    `CREATE TABLE master_keys (
      id TEXT NOT NULL PRIMARY KEY,
      noted_at_ms ${integer} NOT NULL
    ${tableEnd}`,
    `INSERT INTO master_keys (id, noted_at_ms) SELECT id, 0 FROM (${masterKeysInUse}) AS in_use`,
  ],
};

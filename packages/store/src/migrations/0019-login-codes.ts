/*
 * Version 19: codes with which a signed-in device lets another one in. Immutable once released.
 *
 * - A code and its link are in here as hashes. Who claims one leaves the hash of a secret, and its row is found by that from then on.
 * - `version` is raised by every change: of two gateways that change a row at once, one finds that it came too late.
 */
import type { Migration } from './migration.ts';

export const migration0019: Migration = {
  version: 19,
  name: 'login-codes',
  statements: ({ integer, tableEnd }) => [
    `CREATE TABLE login_codes (
      account_id TEXT NOT NULL REFERENCES accounts (id),
      id TEXT NOT NULL,
      device_id TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('open', 'claimed', 'confirmed', 'used', 'refused')),
      version ${integer} NOT NULL,
      code_hash TEXT NOT NULL,
      link_hash TEXT NOT NULL,
      claim_hash TEXT,
      claim_device TEXT,
      claim_ip TEXT,
      made_device_id TEXT,
      created_at_ms ${integer} NOT NULL,
      expires_at_ms ${integer} NOT NULL,
      PRIMARY KEY (account_id, id),
      FOREIGN KEY (account_id, device_id) REFERENCES app_sessions (account_id, id) ON DELETE CASCADE,
      CHECK ((state = 'used') = (made_device_id IS NOT NULL)),
      CHECK (state IN ('open', 'refused') OR claim_hash IS NOT NULL)
    ${tableEnd}`,
    `CREATE UNIQUE INDEX login_codes_code ON login_codes (code_hash)`,
    `CREATE UNIQUE INDEX login_codes_link ON login_codes (link_hash)`,
    `CREATE UNIQUE INDEX login_codes_claim ON login_codes (claim_hash) WHERE claim_hash IS NOT NULL`,
    `CREATE INDEX login_codes_device ON login_codes (account_id, device_id)`,
    `CREATE INDEX login_codes_expiry ON login_codes (expires_at_ms)`,
  ],
};

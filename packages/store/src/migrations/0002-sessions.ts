/*
 * Version 2: keys, connections, session leases and the gateways that own them. Immutable once released.
 *
 * - Labels are unique among rows that are in use; a deleted one frees its label.
 * - `session_leases_open` holds only what is open, so the clean-up costs the same with ten and a million closed sessions.
 */
import type { ColumnTypes, Migration } from './migration.ts';

export const migration0002: Migration = {
  version: 2,
  name: 'sessions',
  statements: (types) => [...connectionStatements(types), ...leaseStatements(types)],
};

function connectionStatements({ integer, tableEnd }: ColumnTypes): readonly string[] {
  return [
    `CREATE TABLE agent_keypairs (
      account_id TEXT NOT NULL REFERENCES accounts (id),
      id TEXT NOT NULL,
      label TEXT NOT NULL,
      public_key TEXT NOT NULL,
      private_enc TEXT NOT NULL,
      fingerprint TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('active', 'rotated', 'revoked')),
      rotated_to_id TEXT,
      created_at_ms ${integer} NOT NULL,
      ended_at_ms ${integer},
      PRIMARY KEY (account_id, id)
    ${tableEnd}`,
    `CREATE UNIQUE INDEX agent_keypairs_label ON agent_keypairs (account_id, label) WHERE status = 'active'`,
    `CREATE TABLE ssh_connections (
      account_id TEXT NOT NULL,
      id TEXT NOT NULL,
      label TEXT NOT NULL,
      host TEXT NOT NULL,
      port ${integer} NOT NULL CHECK (port BETWEEN 1 AND 65535),
      username TEXT NOT NULL,
      keypair_id TEXT NOT NULL,
      pin_key TEXT,
      pin_fingerprint TEXT,
      pinned_at_ms ${integer},
      tested_at_ms ${integer},
      test_result TEXT,
      test_latency_ms ${integer},
      created_at_ms ${integer} NOT NULL,
      updated_at_ms ${integer} NOT NULL,
      deleted_at_ms ${integer},
      PRIMARY KEY (account_id, id),
      FOREIGN KEY (account_id, keypair_id) REFERENCES agent_keypairs (account_id, id)
    ${tableEnd}`,
    `CREATE UNIQUE INDEX ssh_connections_label ON ssh_connections (account_id, label) WHERE deleted_at_ms IS NULL`,
    `CREATE INDEX ssh_connections_keypair ON ssh_connections (account_id, keypair_id)`,
  ];
}

function leaseStatements({ integer, tableEnd }: ColumnTypes): readonly string[] {
  return [
    `CREATE TABLE gateway_instances (
      id TEXT NOT NULL PRIMARY KEY,
      generation ${integer} NOT NULL,
      address TEXT,
      version TEXT NOT NULL,
      started_at_ms ${integer} NOT NULL,
      heartbeat_at_ms ${integer} NOT NULL,
      stopped_at_ms ${integer}
    ${tableEnd}`,
    `CREATE TABLE session_leases (
      account_id TEXT NOT NULL REFERENCES accounts (id),
      id TEXT NOT NULL,
      connection_id TEXT,
      agent TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('pending', 'active', 'closed', 'error')),
      epoch ${integer} NOT NULL,
      owner_instance_id TEXT NOT NULL,
      owner_generation ${integer} NOT NULL,
      owner_heartbeat_at_ms ${integer} NOT NULL,
      client_heartbeat_at_ms ${integer} NOT NULL,
      agent_session_id TEXT,
      error_code TEXT,
      error_message TEXT,
      close_reason TEXT CHECK (close_reason IN ('user', 'timeout', 'error', 'server_closed', 'key_revoked')),
      created_at_ms ${integer} NOT NULL,
      started_at_ms ${integer},
      ended_at_ms ${integer},
      PRIMARY KEY (account_id, id),
      FOREIGN KEY (account_id, connection_id) REFERENCES ssh_connections (account_id, id)
    ${tableEnd}`,
    `CREATE INDEX session_leases_open ON session_leases (owner_instance_id, owner_heartbeat_at_ms)
      WHERE ended_at_ms IS NULL`,
    `CREATE INDEX session_leases_newest ON session_leases (account_id, created_at_ms)`,
    `CREATE INDEX session_leases_connection ON session_leases (account_id, connection_id)`,
  ];
}

/*
 * Version 7: MCP sessions, so that the next gateway takes them up. Immutable once released.
 *
 * The id is kept as SHA-256 only. A row belongs to the token that began the session, and goes with it.
 */
import type { Migration } from './migration.ts';

export const migration0007: Migration = {
  version: 7,
  name: 'mcp-sessions',
  statements: ({ integer, tableEnd }) => [
    `CREATE TABLE mcp_sessions (
      account_id TEXT NOT NULL,
      id_hash TEXT NOT NULL,
      token_id TEXT NOT NULL,
      protocol_version TEXT NOT NULL,
      client_name TEXT NOT NULL,
      client_version TEXT NOT NULL,
      log_level TEXT,
      follows_json TEXT NOT NULL,
      created_at_ms ${integer} NOT NULL,
      expires_at_ms ${integer} NOT NULL,
      PRIMARY KEY (account_id, id_hash),
      FOREIGN KEY (account_id, token_id) REFERENCES api_tokens (account_id, id) ON DELETE CASCADE
    ${tableEnd}`,
    `CREATE INDEX mcp_sessions_token ON mcp_sessions (account_id, token_id)`,
    `CREATE INDEX mcp_sessions_age ON mcp_sessions (account_id, expires_at_ms)`,
    `CREATE INDEX mcp_sessions_expiry ON mcp_sessions (expires_at_ms)`,
  ],
};

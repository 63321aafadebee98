/*
 * Version 1: accounts and how one gets in. Immutable once released.
 *
 * Tokens, states and links are kept as SHA-256 only. A state or link is deleted by its use, so "single use" is one statement.
 */
import type { Migration } from './migration.ts';

export const migration0001: Migration = {
  version: 1,
  name: 'accounts',
  statements: ({ integer, tableEnd, keyedTableEnd }) => [
    `CREATE TABLE accounts (
      id TEXT NOT NULL PRIMARY KEY,
      kind TEXT NOT NULL CHECK (kind IN ('owner', 'member')),
      display_name TEXT NOT NULL,
      email TEXT,
      avatar_url TEXT,
      created_at_ms ${integer} NOT NULL,
      disabled_at_ms ${integer}
    ${tableEnd}`,
    `CREATE UNIQUE INDEX accounts_owner ON accounts (kind) WHERE kind = 'owner'`,
    `CREATE TABLE oauth_identities (
      provider TEXT NOT NULL,
      provider_user_id TEXT NOT NULL,
      account_id TEXT NOT NULL REFERENCES accounts (id),
      login TEXT NOT NULL,
      email TEXT,
      created_at_ms ${integer} NOT NULL,
      updated_at_ms ${integer} NOT NULL,
      PRIMARY KEY (provider, provider_user_id)
    ${tableEnd}`,
    `CREATE INDEX oauth_identities_account ON oauth_identities (account_id)`,
    `CREATE TABLE app_sessions (
      account_id TEXT NOT NULL REFERENCES accounts (id),
      id TEXT NOT NULL,
      token_hash TEXT NOT NULL UNIQUE,
      device TEXT NOT NULL,
      created_at_ms ${integer} NOT NULL,
      last_used_at_ms ${integer} NOT NULL,
      expires_at_ms ${integer} NOT NULL,
      expires_at_ms_max ${integer} NOT NULL,
      revoked_at_ms ${integer},
      PRIMARY KEY (account_id, id)
    ${tableEnd}`,
    `CREATE INDEX app_sessions_expiry ON app_sessions (expires_at_ms)`,
    `CREATE TABLE api_tokens (
      account_id TEXT NOT NULL REFERENCES accounts (id),
      id TEXT NOT NULL,
      token_hash TEXT NOT NULL UNIQUE,
      label TEXT NOT NULL,
      scopes_json TEXT NOT NULL,
      created_at_ms ${integer} NOT NULL,
      last_used_at_ms ${integer},
      expires_at_ms ${integer} NOT NULL,
      expires_at_ms_max ${integer} NOT NULL,
      revoked_at_ms ${integer},
      PRIMARY KEY (account_id, id)
    ${tableEnd}`,
    `CREATE UNIQUE INDEX api_tokens_label ON api_tokens (account_id, label) WHERE revoked_at_ms IS NULL`,
    `CREATE INDEX api_tokens_expiry ON api_tokens (expires_at_ms)`,
    `CREATE TABLE oauth_states (
      state_hash TEXT NOT NULL PRIMARY KEY,
      provider TEXT NOT NULL,
      verifier TEXT NOT NULL,
      browser_hash TEXT NOT NULL,
      redirect_uri TEXT NOT NULL,
      created_at_ms ${integer} NOT NULL,
      expires_at_ms ${integer} NOT NULL
    ${keyedTableEnd}`,
    `CREATE INDEX oauth_states_expiry ON oauth_states (expires_at_ms)`,
    `CREATE TABLE login_links (
      link_hash TEXT NOT NULL PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES accounts (id),
      created_at_ms ${integer} NOT NULL,
      expires_at_ms ${integer} NOT NULL
    ${keyedTableEnd}`,
    `CREATE INDEX login_links_account ON login_links (account_id)`,
    `CREATE INDEX login_links_expiry ON login_links (expires_at_ms)`,
  ],
};

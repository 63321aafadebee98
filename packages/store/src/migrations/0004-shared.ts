/*
 * Version 4: what every part writes beside its own rows. Immutable once released.
 *
 * - The audit log numbers each account's entries without gaps (`audit_heads`): a missing entry shows, and a number says
 *   nothing about other accounts. It refers to no account's row, because it outlives them.
 * - Rate limits are rows, so that several gateways count together.
 */
import type { Migration } from './migration.ts';

export const migration0004: Migration = {
  version: 4,
  name: 'shared',
  statements: ({ integer, tableEnd, keyedTableEnd }) => [
    `CREATE TABLE push_subscriptions (
      account_id TEXT NOT NULL REFERENCES accounts (id),
      id TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      p256dh TEXT NOT NULL,
      auth TEXT NOT NULL,
      device TEXT NOT NULL,
      created_at_ms ${integer} NOT NULL,
      failed_at_ms ${integer},
      PRIMARY KEY (account_id, id)
    ${tableEnd}`,
    `CREATE UNIQUE INDEX push_subscriptions_endpoint ON push_subscriptions (account_id, endpoint)`,
    `CREATE TABLE idempotency_keys (
      account_id TEXT NOT NULL REFERENCES accounts (id),
      key TEXT NOT NULL,
      request_hash TEXT NOT NULL,
      result_json TEXT,
      created_at_ms ${integer} NOT NULL,
      expires_at_ms ${integer} NOT NULL,
      PRIMARY KEY (account_id, key)
    ${keyedTableEnd}`,
    `CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at_ms)`,
    `CREATE TABLE audit_heads (
      account_id TEXT NOT NULL PRIMARY KEY,
      seq ${integer} NOT NULL
    ${keyedTableEnd}`,
    `CREATE TABLE audit_log (
      account_id TEXT NOT NULL,
      seq ${integer} NOT NULL,
      action TEXT NOT NULL,
      actor TEXT NOT NULL,
      target TEXT,
      ip TEXT,
      trace_id TEXT,
      detail_json TEXT,
      at_ms ${integer} NOT NULL,
      PRIMARY KEY (account_id, seq)
    ${keyedTableEnd}`,
    `CREATE INDEX audit_log_action ON audit_log (account_id, action, seq)`,
    `CREATE TABLE settings (
      account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id),
      idle_timeout_ms ${integer} NOT NULL,
      notifications_json TEXT NOT NULL,
      updated_at_ms ${integer} NOT NULL
    ${tableEnd}`,
    `CREATE TABLE rate_limits (
      scope TEXT NOT NULL,
      subject TEXT NOT NULL,
      window_started_at_ms ${integer} NOT NULL,
      window_ends_at_ms ${integer} NOT NULL,
      hits ${integer} NOT NULL,
      locked_until_ms ${integer},
      PRIMARY KEY (scope, subject)
    ${keyedTableEnd}`,
    `CREATE INDEX rate_limits_expiry ON rate_limits (window_ends_at_ms)`,
  ],
};

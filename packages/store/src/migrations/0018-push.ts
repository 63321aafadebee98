/*
 * Version 18: push to devices, and whether somebody looks at them. Immutable once released.
 *
 * - `push_keys`: the key that push services know this database by; the one that is not retired is used. Its private half is an envelope.
 * - `push_subscriptions` has a row per device. The table of that name was empty until now, and is made anew. An address belongs to one
 *   browser, so it is there once, whoever has signed in on it.
 * - `device_presence`: somebody looks at the device until then, unless the device says so again.
 * - `notice_deliveries.device_id`: a push, which goes to one device.
 */
import type { Migration } from './migration.ts';

export const migration0018: Migration = {
  version: 18,
  name: 'push',
  statements: ({ integer, tableEnd, keyedTableEnd }) => [
    `CREATE TABLE push_keys (
      id TEXT NOT NULL PRIMARY KEY,
      public_key TEXT NOT NULL,
      private_enc TEXT NOT NULL,
      made_at_ms ${integer} NOT NULL,
      retired_at_ms ${integer}
    ${tableEnd}`,
    `DROP TABLE push_subscriptions`,
    `CREATE TABLE push_subscriptions (
      account_id TEXT NOT NULL,
      device_id TEXT NOT NULL,
      id TEXT NOT NULL,
      key_id TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      p256dh TEXT NOT NULL,
      auth TEXT NOT NULL,
      classes_json TEXT NOT NULL,
      created_at_ms ${integer} NOT NULL,
      sent_at_ms ${integer},
      failure TEXT,
      failed_at_ms ${integer},
      PRIMARY KEY (account_id, device_id),
      FOREIGN KEY (account_id, device_id) REFERENCES app_sessions (account_id, id) ON DELETE CASCADE,
      CHECK ((failure IS NULL) = (failed_at_ms IS NULL))
    ${tableEnd}`,
    `CREATE UNIQUE INDEX push_subscriptions_endpoint ON push_subscriptions (endpoint)`,
    `CREATE TABLE device_presence (
      account_id TEXT NOT NULL,
      device_id TEXT NOT NULL,
      visible_until_ms ${integer} NOT NULL,
      PRIMARY KEY (account_id, device_id),
      FOREIGN KEY (account_id, device_id) REFERENCES app_sessions (account_id, id) ON DELETE CASCADE
    ${keyedTableEnd}`,
    `ALTER TABLE notice_deliveries ADD COLUMN device_id TEXT`,
    `CREATE INDEX notice_deliveries_device ON notice_deliveries (account_id, device_id) WHERE settled_at_ms IS NULL`,
  ],
};

/*
 * Version 5: what the clean-up needs to find old rows without reading whole tables. Immutable once released.
 *
 * - `kept_from_seq` is the oldest audit entry that is still kept. What is missing below it was removed for its age; a gap above
 *   it was not.
 * - Devices and tokens are looked up by their id alone for sockets that are open on them.
 */
import type { Migration } from './migration.ts';

export const migration0005: Migration = {
  version: 5,
  name: 'retention',
  statements: ({ integer }) => [
    `ALTER TABLE audit_heads ADD COLUMN kept_from_seq ${integer} NOT NULL DEFAULT 1`,
    `CREATE INDEX app_sessions_revoked ON app_sessions (revoked_at_ms) WHERE revoked_at_ms IS NOT NULL`,
    `CREATE INDEX api_tokens_revoked ON api_tokens (revoked_at_ms) WHERE revoked_at_ms IS NOT NULL`,
    `CREATE INDEX app_sessions_id ON app_sessions (id)`,
    `CREATE INDEX api_tokens_id ON api_tokens (id)`,
    `CREATE INDEX session_leases_ended ON session_leases (ended_at_ms) WHERE ended_at_ms IS NOT NULL`,
  ],
};

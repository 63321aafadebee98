/*
 * A connection as the API shows it.
 */
import type { Connection } from '@clawdfather/store';
import { formatTime } from '../http/format-time.ts';

export function showConnection(connection: Connection) {
  const { id, label, host, port, username, keypairId, testedAtMs, testResult } = connection;
  return {
    id,
    label,
    host,
    port,
    username,
    keypair_id: keypairId,
    next_keypair_id: connection.nextKeypairId ?? null,
    policy: connection.policy,
    host_key_fingerprint: connection.pinFingerprint ?? null,
    last_test:
      testedAtMs === undefined
        ? null
        : {
            result: testResult ?? '',
            cause: connection.testCause ?? null,
            latency_ms: connection.testLatencyMs ?? null,
            at: formatTime(testedAtMs),
          },
    created_at: formatTime(connection.createdAtMs),
    updated_at: formatTime(connection.updatedAtMs),
  };
}

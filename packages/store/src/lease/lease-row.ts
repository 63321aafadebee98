/*
 * Between the row of a lease and the state that `nextLease` knows.
 */
import type { SessionLeasesTable } from '../schema/tables.ts';
import type { Lease } from './next-lease.ts';

export function leaseOf(row: SessionLeasesTable): Lease {
  const base = {
    epoch: row.epoch,
    owner: { instanceId: row.owner_instance_id, generation: row.owner_generation },
    ownerHeartbeatAtMs: row.owner_heartbeat_at_ms,
    clientHeartbeatAtMs: row.client_heartbeat_at_ms,
  };
  const endedAtMs = row.ended_at_ms ?? row.created_at_ms;
  switch (row.status) {
    case 'pending':
      return { ...base, status: 'pending' };
    case 'active':
      return {
        ...base,
        status: 'active',
        startedAtMs: row.started_at_ms ?? row.created_at_ms,
        agentSessionId: row.agent_session_id ?? undefined,
      };
    case 'closed':
      return { ...base, status: 'closed', endedAtMs, closeReason: row.close_reason ?? 'error' };
    case 'error':
      return {
        ...base,
        status: 'error',
        endedAtMs,
        closeReason: row.close_reason ?? 'error',
        errorCode: row.error_code ?? '',
        errorMessage: row.error_message ?? '',
      };
  }
}

/** Only what this state knows: an end keeps the columns of the start. */
export function rowChangesOf(lease: Lease): Partial<SessionLeasesTable> {
  const base = {
    status: lease.status,
    epoch: lease.epoch,
    owner_instance_id: lease.owner.instanceId,
    owner_generation: lease.owner.generation,
    owner_heartbeat_at_ms: lease.ownerHeartbeatAtMs,
    client_heartbeat_at_ms: lease.clientHeartbeatAtMs,
  };
  switch (lease.status) {
    case 'pending':
      return base;
    case 'active':
      return {
        ...base,
        started_at_ms: lease.startedAtMs,
        agent_session_id: lease.agentSessionId ?? null,
      };
    case 'closed':
      return { ...base, ended_at_ms: lease.endedAtMs, close_reason: lease.closeReason };
    case 'error':
      return {
        ...base,
        ended_at_ms: lease.endedAtMs,
        close_reason: lease.closeReason,
        error_code: lease.errorCode,
        error_message: lease.errorMessage,
      };
  }
}

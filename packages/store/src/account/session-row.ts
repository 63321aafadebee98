/*
 * Between the row of a session and its state (packages/sessions).
 */
import type { SessionState } from '@clawdfather/sessions';
import type { SessionLeasesTable } from '../schema/tables.ts';

export function stateOf(row: SessionLeasesTable): SessionState {
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
      return { ...base, status: 'active', startedAtMs: row.started_at_ms ?? row.created_at_ms };
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
export function rowChangesOf(state: SessionState): Partial<SessionLeasesTable> {
  const base = {
    status: state.status,
    epoch: state.epoch,
    owner_instance_id: state.owner.instanceId,
    owner_generation: state.owner.generation,
    owner_heartbeat_at_ms: state.ownerHeartbeatAtMs,
    client_heartbeat_at_ms: state.clientHeartbeatAtMs,
  };
  switch (state.status) {
    case 'pending':
      return base;
    case 'active':
      return {
        ...base,
        started_at_ms: state.startedAtMs,
        ...(state.agentSessionId === undefined ? {} : { agent_session_id: state.agentSessionId }),
      };
    case 'closed':
      return { ...base, ended_at_ms: state.endedAtMs, close_reason: state.closeReason };
    case 'error':
      return {
        ...base,
        ended_at_ms: state.endedAtMs,
        close_reason: state.closeReason,
        error_code: state.errorCode,
        error_message: state.errorMessage,
      };
  }
}

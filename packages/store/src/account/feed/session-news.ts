/*
 * What a change of a session means for the account: it began or ended, and whether a host was lost by it or is back. A gateway that takes
 * a session over is no news.
 */
import type { SessionAudit } from '@clawdfather/sessions';
import type { SessionLeasesTable } from '../../schema/tables.ts';
import type { AccountNews } from './news.ts';

export function newsOfSession(
  before: SessionLeasesTable,
  after: SessionLeasesTable,
  audit: Pick<SessionAudit, 'detail'>,
): AccountNews {
  if (before.status === after.status) return {};
  const { id, connection_id: connectionId, agent } = after;
  const host = connectionId === null ? {} : { connection_id: connectionId };
  if (after.status === 'active') {
    return {
      events: [{ type: 'session_started', subjectId: id, payload: { agent, ...host } }],
      resolves:
        connectionId === null
          ? []
          : [{ as: 'back', classes: ['host_lost'], subjectId: connectionId }],
    };
  }
  const code = after.error_code ?? undefined;
  const cause = code === undefined ? {} : { code };
  const reason = after.close_reason ?? 'error';
  return {
    events: [{ type: 'session_ended', subjectId: id, payload: { reason, ...cause, ...host } }],
    notices: isHostLost(before, after, audit)
      ? [
          {
            class: 'host_lost',
            key: `session:${id}`,
            subjectId: connectionId ?? '',
            detail: { session_id: id, ...cause },
            // A host that takes three sessions with it is lost once.
            isOnePerSubject: true,
          },
        ]
      : [],
  };
}

/** It was there, and went without being asked to. */
function isHostLost(
  before: SessionLeasesTable,
  after: SessionLeasesTable,
  { detail }: Pick<SessionAudit, 'detail'>,
): boolean {
  if (before.status !== 'active' || after.connection_id === null) return false;
  return after.status === 'error' || detail?.['why'] === 'orphaned';
}

/*
 * A session as the API shows it.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { SessionRecord } from '@clawdfather/sessions';
import type { Connection } from '@clawdfather/store';
import { formatTime } from '../http/format-time.ts';

type SessionAnswer = AnswerOf<Api['sessions']['get']>['session'];

/* Stored where no agent was asked for; nothing of this name can be one. */
export const noAgent = '(none)';

export function showSession(
  session: SessionRecord,
  connection: Connection | undefined,
  sshPrefix?: string,
): SessionAnswer {
  const { id, status, agent, errorCode, errorMessage } = session;
  return {
    id,
    status,
    agent: agent === noAgent ? null : agent,
    agent_session_id: session.agentSessionId ?? null,
    connection:
      connection === undefined
        ? null
        : {
            id: connection.id,
            label: connection.label,
            host: connection.host,
            username: connection.username,
          },
    ssh_prefix: sshPrefix ?? null,
    created_at: formatTime(session.createdAtMs),
    started_at: formatTime(session.startedAtMs),
    last_seen_at: formatTime(session.clientHeartbeatAtMs),
    closed_at: formatTime(session.endedAtMs),
    close_reason: session.closeReason ?? null,
    error: errorCode === undefined ? null : { code: errorCode, message: errorMessage ?? '' },
    chat_url: `/sessions/${id}`,
  };
}

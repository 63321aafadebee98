/*
 * What metrics want to know of sessions. Calls are cheap and never throw.
 */
import type { AccountId, CloseReason, Session } from '@clawdfather/store';

export interface ClosedSession {
  readonly accountId: AccountId;
  readonly id: string;
  readonly reason: CloseReason;
  /* From start to close. */
  readonly lifeMs: number;
}

export interface SessionObserver {
  started(result: 'ok' | 'failed'): void;
  /* Each session that this gateway closes, once, wherever the wish came from. */
  closed(end: ClosedSession): void;
  failed(kind: 'ssh_connect' | 'agent_spawn' | 'runtime'): void;
}

export const silentSessionObserver: SessionObserver = {
  started: () => {},
  closed: () => {},
  failed: () => {},
};

export function closedSessionOf(
  accountId: AccountId,
  { id, closeReason, startedAtMs, createdAtMs, endedAtMs }: Session,
): ClosedSession {
  const lifeMs = Math.max(0, (endedAtMs ?? createdAtMs) - (startedAtMs ?? createdAtMs));
  return { accountId, id, reason: closeReason ?? 'error', lifeMs };
}

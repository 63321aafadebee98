/*
 * A log whose lines are about one session, in the words of document 000.
 */
import type { Log } from '@clawdfather/kit';
import type { AccountId } from '@clawdfather/store';

export interface LoggedSession {
  readonly accountId: AccountId;
  readonly id: string;
  readonly traceId?: string | undefined;
}

export function sessionLog(log: Log, { accountId, id, traceId }: LoggedSession): Log {
  return log.child({
    component: 'session',
    session_lease_id: id,
    account_id: accountId,
    ...(traceId === undefined ? {} : { trace_id: traceId }),
  });
}

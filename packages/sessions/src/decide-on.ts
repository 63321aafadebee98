/*
 * What becomes of a session, with the audit entry of it: what a store needs to write both in one transaction.
 */
import { assertNever } from '@clawdfather/kit';
import { nextSession, type SessionEvent, type SessionStep } from './next-session.ts';
import type { SessionState } from './session.ts';

/* Who caused a change. */
export interface Asker {
  /* A device or token by its id, `cleanup`, `operator`. */
  readonly actor: string;
  readonly ip?: string;
  readonly traceId?: string;
}

export interface SessionAudit extends Asker {
  readonly action: string;
  readonly detail?: Readonly<Record<string, string>>;
}

/* Heartbeats are written for many sessions at once and leave no audit entry. */
export type AuditedEvent = Exclude<SessionEvent, { type: 'owner-beat' | 'client-seen' }>;

export type Decision =
  | Exclude<SessionStep, { outcome: 'changed' }>
  | { readonly outcome: 'changed'; readonly state: SessionState; readonly audit: SessionAudit };

/* Pure: a transaction that is run again asks again. */
export type Decide = (state: SessionState, atMs: number) => Decision;

export function decideOn(event: AuditedEvent, by: Asker): Decide {
  return (state, atMs) => {
    const step = nextSession(state, event, atMs);
    if (step.outcome !== 'changed') return step;
    const { actor, ip, traceId } = by;
    const who = {
      actor,
      ...(ip === undefined ? {} : { ip }),
      ...(traceId === undefined ? {} : { traceId }),
    };
    return { ...step, audit: { ...who, ...entryOf(event, state, step.state) } };
  };
}

function entryOf(
  event: AuditedEvent,
  before: SessionState,
  after: SessionState,
): Pick<SessionAudit, 'action' | 'detail'> {
  switch (event.type) {
    case 'activated':
      return { action: 'session.active' };
    case 'closed':
      return { action: 'session.close' };
    case 'idle':
      return { action: 'session.timeout', detail: { why: 'idle' } };
    case 'lost':
      return after.status === 'error'
        ? { action: 'session.error' }
        : { action: 'session.timeout', detail: { why: 'orphaned' } };
    case 'failed':
      return { action: 'session.error', detail: { code: event.code } };
    case 'taken':
      return {
        action: 'session.adopt',
        detail: { from: before.owner.instanceId, to: after.owner.instanceId },
      };
    default:
      return assertNever(event);
  }
}

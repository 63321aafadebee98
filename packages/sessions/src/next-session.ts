/*
 * The life of a session, as one pure function: a state and an event make the next state, or a refusal.
 *
 * - One owner at a time. Taking a session raises its epoch, and an owner that writes with an older epoch is refused, so a gateway
 *   that was frozen and wakes up does no harm. A close on request may come from any gateway and needs no epoch.
 * - Two clocks. The owner's says whether the session may be taken over; the client's says whether it is still in use.
 * - While no owner was alive, no client could reach it. That time is not idleness, so the client's clock is moved on by it.
 * - An end is final.
 */
import { assertNever } from '@clawdfather/kit';
import { ownerStaleMs } from './limits.ts';
import type { CloseReason, OpenSession, Owner, SessionState, WishedReason } from './session.ts';

interface Fenced {
  readonly epoch: number;
}

export type SessionEvent =
  /* It can be worked in. */
  | ({ readonly type: 'activated'; readonly agentSessionId?: string | undefined } & Fenced)
  /* A request to close it. */
  | { readonly type: 'closed'; readonly reason: WishedReason }
  /* No client for too long. `seenAtMs` is the client's heartbeat that this was decided on. */
  | ({ readonly type: 'idle'; readonly seenAtMs: number } & Fenced)
  /* It was taken over, and its connection is gone. */
  | ({ readonly type: 'lost' } & Fenced)
  /* What it needs could not be had, or is gone: its connection to the host. */
  | ({ readonly type: 'failed'; readonly code: string; readonly message: string } & Fenced)
  | { readonly type: 'taken'; readonly by: Owner }
  | ({ readonly type: 'owner-beat' } & Fenced)
  | { readonly type: 'client-seen' };

export type SessionRefusal = 'epoch_stale' | 'ended' | 'owner_alive' | 'client_seen';

export type SessionStep =
  | { readonly outcome: 'changed'; readonly state: SessionState }
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'refused'; readonly why: SessionRefusal };

const unchanged: SessionStep = { outcome: 'unchanged' };

export function nextSession(state: SessionState, event: SessionEvent, atMs: number): SessionStep {
  if ('epoch' in event && event.epoch !== state.epoch) return refused('epoch_stale');
  if (state.status === 'closed' || state.status === 'error') {
    /* A client closes twice when the first answer was lost. */
    return event.type === 'closed' ? unchanged : refused('ended');
  }
  switch (event.type) {
    case 'activated':
      return state.status === 'active' ? unchanged : changed(activated(state, event, atMs));
    case 'closed':
      return changed(ended(state, { atMs, reason: event.reason, error: cancelled }));
    case 'idle':
      return event.seenAtMs === state.clientHeartbeatAtMs
        ? changed(ended(state, { atMs, reason: 'timeout', error: cancelled }))
        : refused('client_seen');
    case 'lost':
      return changed(ended(state, { atMs, reason: 'timeout', error: interrupted }));
    case 'failed':
      return changed(failed(state, event, atMs));
    case 'taken':
      return take(state, event.by, atMs);
    case 'owner-beat':
      return atMs <= state.ownerHeartbeatAtMs ? unchanged : changed(heard(state, atMs));
    case 'client-seen':
      return atMs <= state.clientHeartbeatAtMs
        ? unchanged
        : changed({ ...state, clientHeartbeatAtMs: atMs });
    default:
      return assertNever(event);
  }
}

function activated(
  state: OpenSession,
  { agentSessionId }: { readonly agentSessionId?: string | undefined },
  atMs: number,
): OpenSession {
  const agent = agentSessionId === undefined ? {} : { agentSessionId };
  return { ...state, ...agent, status: 'active', startedAtMs: atMs };
}

interface StartError {
  readonly code: string;
  readonly message: string;
  /* Where it is not the one of the event. */
  readonly reason?: CloseReason;
}

const cancelled: StartError = { code: 'cancelled', message: 'closed before it had started' };
const interrupted: StartError = {
  code: 'start_interrupted',
  message: 'the gateway was lost while it started the session',
  reason: 'error',
};

/* An end that was wished for or waited for. What never was active did not start, and `error` says why. */
function ended(
  { epoch, owner, ownerHeartbeatAtMs, clientHeartbeatAtMs, status }: OpenSession,
  end: { readonly atMs: number; readonly reason: CloseReason; readonly error: StartError },
): SessionState {
  const held = { epoch, owner, ownerHeartbeatAtMs, clientHeartbeatAtMs, endedAtMs: end.atMs };
  if (status === 'active') return { ...held, status: 'closed', closeReason: end.reason };
  const { code, message, reason = end.reason } = end.error;
  return { ...held, status: 'error', closeReason: reason, errorCode: code, errorMessage: message };
}

/* Also of one that was active: what happened to it is more than a close. */
function failed(
  { epoch, owner, ownerHeartbeatAtMs, clientHeartbeatAtMs }: OpenSession,
  { code, message }: { readonly code: string; readonly message: string },
  atMs: number,
): SessionState {
  const held = { epoch, owner, ownerHeartbeatAtMs, clientHeartbeatAtMs, endedAtMs: atMs };
  return { ...held, status: 'error', closeReason: 'error', errorCode: code, errorMessage: message };
}

function take(state: OpenSession, by: Owner, atMs: number): SessionStep {
  const isOwnInstance = by.instanceId === state.owner.instanceId;
  if (isOwnInstance && by.generation === state.owner.generation) return unchanged;
  /* A newer generation of an instance is proof that the older one is gone: they share a state directory and its lock. */
  const isSuccessor = isOwnInstance && by.generation > state.owner.generation;
  const isStale = atMs - state.ownerHeartbeatAtMs > ownerStaleMs;
  if (!isSuccessor && (isOwnInstance || !isStale)) return refused('owner_alive');
  return changed({
    ...state,
    epoch: state.epoch + 1,
    owner: by,
    ownerHeartbeatAtMs: Math.max(atMs, state.ownerHeartbeatAtMs),
    clientHeartbeatAtMs: withoutDowntime(state, atMs),
  });
}

/* A machine that slept wakes up with the owner it had: its silence beyond the limit is downtime, too. */
function heard(state: OpenSession, atMs: number): OpenSession {
  const wasDown = atMs - state.ownerHeartbeatAtMs > ownerStaleMs;
  return {
    ...state,
    ownerHeartbeatAtMs: atMs,
    clientHeartbeatAtMs: wasDown ? withoutDowntime(state, atMs) : state.clientHeartbeatAtMs,
  };
}

function withoutDowntime(state: OpenSession, atMs: number): number {
  const downMs = Math.max(0, atMs - Math.max(state.ownerHeartbeatAtMs, state.clientHeartbeatAtMs));
  return state.clientHeartbeatAtMs + downMs;
}

function changed(state: SessionState): SessionStep {
  return { outcome: 'changed', state };
}

function refused(why: SessionRefusal): SessionStep {
  return { outcome: 'refused', why };
}

/*
 * The life of a turn, as one pure function. An end is final: whatever comes later changes nothing.
 *
 * queued ── admitted ──► running ── answered ──► completed | failed | cancelled
 *    │  ▲                   │
 *    │  └── never sent ─────┤
 *    └─ cancelled, expired  ├── agent lost, cancel ignored ──► interrupted
 *                           └── never reached ──► failed
 */
import { assertNever } from '@clawdfather/kit';
import type { CancelCause, TurnResult } from '../rows.ts';
import { plainMessage } from './plain-message.ts';

export type TurnStatus =
  | 'queued'
  | 'running'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'interrupted';

/* Older clients know these words. */
export const turnCodes = [
  'success',
  'aborted',
  'error',
  'OPENCLAW_GATEWAY_BUSY',
  'OPENCLAW_GATEWAY_LOST',
  'OPENCLAW_RUN_DEADLINE_EXCEEDED',
  'ACP_BRIDGE_RESTART',
] as const;
export type TurnCode = (typeof turnCodes)[number];

export interface TurnState {
  readonly status: TurnStatus;
  readonly cancelCause?: CancelCause | undefined;
}

export type TurnEvent =
  | { readonly type: 'admitted' }
  | { readonly type: 'cancel-asked'; readonly cause: CancelCause }
  /* It has waited for as long as its lanes allow. */
  | { readonly type: 'expired'; readonly message: string }
  /* The agent has answered the prompt. */
  | { readonly type: 'stopped'; readonly stopReason: string }
  /* It has, but by the journal that was after the deadline (W10). */
  | { readonly type: 'late' }
  | { readonly type: 'refused'; readonly message: string }
  /* It could not be started, or does not let us in: nothing was prompted. */
  | { readonly type: 'not-startable'; readonly message: string }
  /* Its agent does not work in the way that was chosen for it: nothing was prompted. */
  | { readonly type: 'not-set'; readonly message: string }
  /* A limit leaves no room for its agent; the code of the limit. */
  | { readonly type: 'no-place'; readonly limit: string; readonly message: string }
  | {
      readonly type: 'agent-lost';
      readonly loss: AgentLoss;
      readonly cause: string;
      readonly message: string;
      readonly wasAccepted: boolean;
      /* It ended by itself, before it had said or done anything for the turn. */
      readonly gaveUp: boolean;
    }
  /* For too long nothing is heard of what the turn needs (reaching.ts). */
  | {
      readonly type: 'unreachable';
      readonly cause: string;
      readonly message: string;
      /* It may have the prompt. */
      readonly wasPrompted: boolean;
    }
  | { readonly type: 'cancel-ignored' };

/*
 * What its agent was lost with. `restart`: it was found gone by another start of its gateway than the one that last saw it alive.
 * `host`: with the connection to its host. `agent`: by itself, before the eyes of its gateway.
 */
export type AgentLoss = 'restart' | 'host' | 'agent';

export type TurnStep =
  | { readonly outcome: 'changed'; readonly status: 'running' | 'queued' }
  | {
      readonly outcome: 'ended';
      readonly status: Exclude<TurnStatus, 'queued' | 'running'>;
      readonly result: TurnResult;
    }
  | { readonly outcome: 'unchanged' };

const unchanged: TurnStep = { outcome: 'unchanged' };
const deadline: TurnResult = {
  code: 'OPENCLAW_RUN_DEADLINE_EXCEEDED',
  message: 'it took longer than it may',
};

export function nextTurn(state: TurnState, event: TurnEvent): TurnStep {
  if (state.status === 'queued') return nextOfWaiting(state, event);
  return state.status === 'running' ? nextOfRunning(state, event) : unchanged;
}

function nextOfWaiting(state: TurnState, event: TurnEvent): TurnStep {
  switch (event.type) {
    case 'admitted':
      return { outcome: 'changed', status: 'running' };
    case 'cancel-asked':
      return cancelled(event.cause, {});
    case 'expired':
      return ended('failed', busy('queue_timeout', event.message));
    case 'no-place':
      return noPlace(state, event);
    case 'refused':
    case 'not-startable':
      return failed(state, event.message);
    default:
      return unchanged;
  }
}

function nextOfRunning(state: TurnState, event: TurnEvent): TurnStep {
  switch (event.type) {
    case 'admitted':
    case 'expired':
      return unchanged;
    case 'cancel-asked':
      // The agent is asked, and its answer ends the turn.
      return { outcome: 'changed', status: 'running' };
    case 'stopped':
      return stopped(state, event.stopReason);
    case 'late':
      return ended('failed', deadline);
    case 'no-place':
      return noPlace(state, event);
    case 'not-set':
      return failed(state, event.message, 'choice-not-set');
    case 'refused':
    case 'not-startable':
      return failed(state, event.message);
    case 'agent-lost':
      return lost(state, event);
    case 'unreachable':
      return unreachable(state, event);
    case 'cancel-ignored':
      return interruptedAfterCancel(state);
    default:
      return assertNever(event);
  }
}

function failed({ cancelCause }: TurnState, message: string, cause?: string): TurnStep {
  if (cancelCause !== undefined) return cancelled(cancelCause, {});
  return ended('failed', { code: 'error', ...(cause === undefined ? {} : { cause }), message });
}

function noPlace(
  { cancelCause }: TurnState,
  { limit, message }: Extract<TurnEvent, { type: 'no-place' }>,
): TurnStep {
  if (cancelCause !== undefined) return cancelled(cancelCause, {});
  return ended('failed', busy(limit, message));
}

/* There was no room. Nothing was sent to any agent, so the same may be asked again. */
function busy(cause: string, message: string): TurnResult {
  return { code: 'OPENCLAW_GATEWAY_BUSY', cause, message };
}

function stopped({ cancelCause }: TurnState, stopReason: string): TurnStep {
  switch (stopReason) {
    case 'cancelled':
      return cancelled(cancelCause ?? 'asked', { stopReason });
    case 'end_turn':
      // Some agents (opencode 1.18) end so when they are stopped. Who stopped it is told that it was; an answer in time stays one.
      if (cancelCause === undefined || cancelCause === 'deadline') break;
      return cancelled(cancelCause, { stopReason });
    case 'refusal':
      return ended('failed', { code: 'error', stopReason, message: 'the agent refused to go on' });
    default:
  }
  // Also what it stopped for on its own account, such as `max_tokens`: that is an answer.
  return ended('completed', { code: 'success', stopReason });
}

function cancelled(cause: CancelCause, facts: Pick<TurnResult, 'stopReason'>): TurnStep {
  if (cause === 'deadline') return ended('failed', { ...deadline, ...facts });
  return ended('cancelled', { code: 'aborted', ...facts });
}

function lost(
  { cancelCause }: TurnState,
  { loss, cause, message, wasAccepted, gaveUp }: Extract<TurnEvent, { type: 'agent-lost' }>,
): TurnStep {
  if (cancelCause !== undefined) return cancelled(cancelCause, {});
  // W11: what the agent never got is sent again by itself; what it may have acted on never is.
  if (!wasAccepted) return { outcome: 'changed', status: 'queued' };
  const status = loss === 'agent' && gaveUp ? 'failed' : 'interrupted';
  return ended(status, { code: lossCodes[loss], cause, message });
}

const lossCodes: Readonly<Record<AgentLoss, TurnCode>> = {
  restart: 'ACP_BRIDGE_RESTART',
  host: 'OPENCLAW_GATEWAY_LOST',
  agent: 'error',
};

function unreachable(
  { cancelCause }: TurnState,
  { cause, message, wasPrompted }: Extract<TurnEvent, { type: 'unreachable' }>,
): TurnStep {
  if (cancelCause !== undefined) return cancelled(cancelCause, {});
  const result = { code: 'OPENCLAW_GATEWAY_LOST', cause, message } as const;
  return ended(wasPrompted ? 'interrupted' : 'failed', result);
}

function interruptedAfterCancel({ cancelCause }: TurnState): TurnStep {
  if (cancelCause === 'deadline') return ended('failed', deadline);
  const message = 'the agent did not stop when it was asked to, so it was ended';
  return ended('interrupted', { code: 'aborted', message });
}

function ended(status: Exclude<TurnStatus, 'queued' | 'running'>, result: TurnResult): TurnStep {
  const { message } = result;
  const shown = message === undefined ? result : { ...result, message: plainMessage(message) };
  return { outcome: 'ended', status, result: shown };
}

/*
 * The life of a turn, as one pure function. An end is final: whatever comes later changes nothing.
 *
 * queued ── admitted ──► running ── answered ──► completed | failed | cancelled
 *    │  ▲                   │
 *    │  └── never sent ─────┤
 *    └─ cancelled, expired  └── agent lost, cancel ignored ──► interrupted
 */
import { assertNever } from '@clawdfather/kit';
import type { CancelCause, TurnResult } from '../rows.ts';

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
  | {
      readonly type: 'agent-lost';
      readonly cause: string;
      readonly message: string;
      readonly wasAccepted: boolean;
    }
  | { readonly type: 'cancel-ignored' };

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
  if (state.status !== 'queued' && state.status !== 'running') return unchanged;
  const isRunning = state.status === 'running';
  switch (event.type) {
    case 'admitted':
      return isRunning ? unchanged : { outcome: 'changed', status: 'running' };
    case 'cancel-asked':
      // While it runs, the agent is asked, and its answer ends the turn.
      return isRunning ? { outcome: 'changed', status: 'running' } : cancelled(event.cause, {});
    case 'expired':
      return isRunning ? unchanged : ended('failed', busy('queue_timeout', event.message));
    case 'stopped':
      return isRunning ? stopped(state, event.stopReason) : unchanged;
    case 'late':
      return isRunning ? ended('failed', deadline) : unchanged;
    case 'refused':
    case 'not-startable':
      if (state.cancelCause !== undefined) return cancelled(state.cancelCause, {});
      return ended('failed', { code: 'error', message: event.message });
    case 'agent-lost':
      return isRunning ? lost(state, event) : unchanged;
    case 'cancel-ignored':
      return isRunning ? interruptedAfterCancel(state) : unchanged;
    default:
      return assertNever(event);
  }
}

/* No lane had room. Nothing was sent to any agent, so the same may be asked again. */
function busy(cause: 'queue_timeout', message: string): TurnResult {
  return { code: 'OPENCLAW_GATEWAY_BUSY', cause, message };
}

function stopped({ cancelCause }: TurnState, stopReason: string): TurnStep {
  switch (stopReason) {
    case 'cancelled':
      return cancelled(cancelCause ?? 'asked', { stopReason });
    case 'refusal':
      return ended('failed', { code: 'error', stopReason, message: 'the agent refused to go on' });
    default:
      // Also what it stopped for on its own account, such as `max_tokens`: that is an answer.
      return ended('completed', { code: 'success', stopReason });
  }
}

function cancelled(cause: CancelCause, facts: Pick<TurnResult, 'stopReason'>): TurnStep {
  if (cause === 'deadline') return ended('failed', { ...deadline, ...facts });
  return ended('cancelled', { code: 'aborted', ...facts });
}

function lost(
  { cancelCause }: TurnState,
  { cause, message, wasAccepted }: Extract<TurnEvent, { type: 'agent-lost' }>,
): TurnStep {
  if (cancelCause !== undefined) return cancelled(cancelCause, {});
  // W11: what the agent never got is sent again by itself; what it may have acted on never is.
  if (!wasAccepted) return { outcome: 'changed', status: 'queued' };
  return ended('interrupted', { code: 'ACP_BRIDGE_RESTART', cause, message });
}

function interruptedAfterCancel({ cancelCause }: TurnState): TurnStep {
  if (cancelCause === 'deadline') return ended('failed', deadline);
  const message = 'the agent did not stop when it was asked to, so it was ended';
  return ended('interrupted', { code: 'aborted', message });
}

function ended(status: Exclude<TurnStatus, 'queued' | 'running'>, result: TurnResult): TurnStep {
  return { outcome: 'ended', status, result };
}

/*
 * A turn that is watched, and what becomes of it when its stream is lost (docs/lifecycles.md). Pure.
 *
 * While the stream is gone the turn is asked after. What counts is what the gateway says of it; silence proves nothing about the turn, so
 * only the limit that the gateway named ends the asking. A gateway that was restarted (its generation has grown) is not one that
 * cannot be reached: its agents go on.
 *
 * All times are of one clock of the caller's, best one that never jumps: how long to ask the gateway says as a stretch from its answer on,
 * so its own clock does not matter.
 */

/* What a client may have to say of a turn by itself, or repeat after the gateway. */
export const recoveryCodes = [
  /* Not one answer since the connection was lost, up to the limit. */
  'ACP_UNREACHABLE',
  /* There were answers, and at the limit the turn still had not ended. */
  'ACP_UNRECOVERABLE',
  /* The gateway does not know it. */
  'ACP_SESSION_NOT_FOUND',
  /* The gateway was restarted, and the turn's agent is proven gone. */
  'ACP_BRIDGE_RESTART',
  'OPENCLAW_RUN_DEADLINE_EXCEEDED',
] as const;
export type RecoveryCode = (typeof recoveryCodes)[number];

export interface TurnFound {
  readonly status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled' | 'interrupted';
  /* Of its result, if it has one. */
  readonly code: string | undefined;
  /* How long to ask from now on, as the gateway says. Undefined: for as long as it waits. */
  readonly pollLeftMs: number | undefined;
}

interface Watch {
  /* By the newest that the gateway has said of it. */
  readonly pollUntilMs: number | undefined;
  /* Whether the generation has grown since the turn was first seen. */
  readonly isRestarted: boolean;
}

interface Search extends Watch {
  readonly sinceMs: number;
  /* Whether anything was answered since then. */
  readonly wasAnswered: boolean;
}

export type Recovery =
  /* Its events come. */
  | ({ readonly kind: 'running' } & Watch)
  /* Nobody answers. */
  | ({ readonly kind: 'lost_connection' } & Search)
  /* The gateway answers, and is asked again and again. */
  | ({ readonly kind: 'polling' } & Search)
  /* It has ended, and this is how. */
  | {
      readonly kind: 'recovered';
      readonly status: TurnFound['status'];
      readonly code: string | undefined;
      readonly isRestarted: boolean;
    }
  | ({ readonly kind: 'failed'; readonly code: RecoveryCode } & Watch);

export type RecoveryEvent =
  /* Its events come, from where they were left. */
  | { readonly kind: 'streaming' }
  /* The stream is gone. */
  | { readonly kind: 'lost'; readonly atMs: number }
  /* The gateway said this of it. */
  | { readonly kind: 'found'; readonly turn: TurnFound; readonly atMs: number }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'unanswered'; readonly atMs: number }
  /* The generation has grown. */
  | { readonly kind: 'restarted' }
  /* A person asks for another attempt. */
  | { readonly kind: 'retry'; readonly atMs: number };

export const recoveryBegins: Extract<Recovery, { kind: 'running' }> = {
  kind: 'running',
  pollUntilMs: undefined,
  isRestarted: false,
};

export function nextRecovery(state: Recovery, event: RecoveryEvent): Recovery {
  if (state.kind === 'recovered') return state;
  if (state.kind === 'failed') return afterFailure(state, event);
  switch (event.kind) {
    case 'streaming':
      return { kind: 'running', ...watchOf(state) };
    case 'restarted':
      return { ...state, isRestarted: true };
    case 'lost':
      return state.kind === 'running' ? lostAt(state, event.atMs) : state;
    case 'not-found':
      return failed(state, 'ACP_SESSION_NOT_FOUND');
    case 'found':
      return found(state, event);
    case 'unanswered':
      return unanswered(state, event.atMs);
    case 'retry':
      return state;
  }
}

/* Whether a person is offered another attempt: the turn may well go on. */
export function mayRetry(code: RecoveryCode): boolean {
  return code === 'ACP_UNREACHABLE' || code === 'ACP_UNRECOVERABLE';
}

type Open = Exclude<Recovery, { kind: 'recovered' | 'failed' }>;
type Failed = Extract<Recovery, { kind: 'failed' }>;

/* What was given up for silence goes on with the first word; what the gateway has said stays. */
function afterFailure(state: Failed, event: RecoveryEvent): Recovery {
  if (!mayRetry(state.code)) return state;
  switch (event.kind) {
    case 'streaming':
      return { kind: 'running', ...watchOf(state) };
    case 'retry':
      return lostAt(state, event.atMs);
    case 'found':
      return found(lostAt(state, event.atMs), event);
    case 'not-found':
      return failed(state, 'ACP_SESSION_NOT_FOUND');
    case 'restarted':
      return { ...state, isRestarted: true };
    case 'lost':
    case 'unanswered':
      return state;
  }
}

function found(state: Open, { turn, atMs }: Extract<RecoveryEvent, { kind: 'found' }>): Recovery {
  const { status } = turn;
  if (status !== 'queued' && status !== 'running') return ended(state, turn);
  const { pollLeftMs } = turn;
  const pollUntilMs = pollLeftMs === undefined ? state.pollUntilMs : atMs + pollLeftMs;
  if (state.kind === 'running') return { ...state, pollUntilMs };
  const search = { ...searchOf(state), pollUntilMs, wasAnswered: true };
  if (isOver(pollUntilMs, atMs)) return failed(search, 'ACP_UNRECOVERABLE');
  return { kind: 'polling', ...search };
}

function ended(state: Open, { status, code }: TurnFound): Recovery {
  const { isRestarted } = state;
  if (code === 'OPENCLAW_RUN_DEADLINE_EXCEEDED') return failed(state, code);
  // An agent that is proven gone interrupts its turn. That a restart was the reason, only the generation tells.
  if (code === 'ACP_BRIDGE_RESTART' && isRestarted) return failed(state, code);
  return { kind: 'recovered', status, code, isRestarted };
}

function unanswered(state: Open, atMs: number): Recovery {
  if (state.kind === 'running') return lostAt(state, atMs);
  if (isOver(state.pollUntilMs, atMs)) {
    return failed(state, state.wasAnswered ? 'ACP_UNRECOVERABLE' : 'ACP_UNREACHABLE');
  }
  return { kind: 'lost_connection', ...searchOf(state) };
}

function isOver(untilMs: number | undefined, atMs: number): boolean {
  return untilMs !== undefined && atMs > untilMs;
}

function lostAt(state: Watch, sinceMs: number): Extract<Recovery, { kind: 'lost_connection' }> {
  return { kind: 'lost_connection', ...watchOf(state), sinceMs, wasAnswered: false };
}

function failed(state: Watch, code: RecoveryCode): Failed {
  return { kind: 'failed', code, ...watchOf(state) };
}

function watchOf({ pollUntilMs, isRestarted }: Watch): Watch {
  return { pollUntilMs, isRestarted };
}

function searchOf({ sinceMs, wasAnswered, ...watch }: Search): Search {
  return { ...watchOf(watch), sinceMs, wasAnswered };
}

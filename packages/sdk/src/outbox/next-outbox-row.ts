/*
 * One row of the outbox: what a person wrote on this device, until the agent has it (docs/lifecycles.md). Pure.
 *
 * The key of a row goes along with every attempt, and the gateway takes a key once. So an answer that was lost is nothing to worry about: the row is
 * `unknown`, the next attempt finds out, and nobody has to guess.
 */

export type OutboxState =
  /* On this device only. */
  | { readonly kind: 'written'; readonly deferred?: Deferral }
  /* `isDoubted`: an attempt before this one may have arrived. `deferred`: why the one before was not taken. */
  | { readonly kind: 'sent'; readonly isDoubted?: true; readonly deferred?: Deferral }
  /* Sent, and the answer was lost; or, after such an attempt, not taken for now. */
  | { readonly kind: 'unknown'; readonly deferred?: Deferral }
  /* The gateway has it: the id of the turn, or of the thread. */
  | { readonly kind: 'accepted'; readonly id: string }
  /* The agent has begun with it. */
  | { readonly kind: 'taken'; readonly id: string }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /* Too old to be sent unasked: "expired, send again?" */
  | { readonly kind: 'expired' };

/* Why the gateway did not take it for now. */
export interface Deferral {
  readonly code: string;
  readonly message: string;
}

/* These are answered before anything is stored. What else is answered may come after it, such as when the database is lost. */
const takesNothing: readonly string[] = ['queue_full', 'rate_limited'];

export type OutboxEvent =
  | { readonly kind: 'send' }
  | { readonly kind: 'accepted'; readonly id: string }
  /* The gateway took nothing and never will. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /* It took nothing for now: too many requests, or it is stopping. */
  | ({ readonly kind: 'deferred' } & Deferral)
  /* Nobody knows whether it arrived; also a sender that died while it waited. */
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'taken' }
  | { readonly kind: 'aged' }
  /* A person asks for it again. */
  | { readonly kind: 'again' };

export function nextOutboxRow(state: OutboxState, event: OutboxEvent): OutboxState {
  switch (event.kind) {
    case 'send':
      return state.kind === 'written' || state.kind === 'unknown' ? sentFrom(state) : state;
    case 'accepted':
      return state.kind === 'sent' ? { kind: 'accepted', id: event.id } : state;
    case 'refused': {
      const { code, message } = event;
      return state.kind === 'sent' || state.kind === 'written'
        ? { kind: 'refused', code, message }
        : state;
    }
    case 'deferred':
      return state.kind === 'sent' ? deferredBy(state, event) : state;
    case 'unanswered':
      return state.kind === 'sent' ? { kind: 'unknown' } : state;
    case 'taken':
      return state.kind === 'accepted' ? { kind: 'taken', id: state.id } : state;
    case 'aged':
      // What may have arrived is not called expired: the next attempt finds out.
      return state.kind === 'written' ? { kind: 'expired' } : state;
    case 'again':
      return state.kind === 'expired' || state.kind === 'refused' ? { kind: 'written' } : state;
  }
}

function sentFrom({
  kind,
  deferred,
}: Extract<OutboxState, { kind: 'written' | 'unknown' }>): OutboxState {
  return {
    kind: 'sent',
    ...(kind === 'unknown' && { isDoubted: true }),
    ...(deferred !== undefined && { deferred }),
  };
}

/* It is on this device only, as before, unless this attempt or one before it may have arrived. */
function deferredBy(
  { isDoubted }: Extract<OutboxState, { kind: 'sent' }>,
  { code, message }: Deferral,
): OutboxState {
  const isHereOnly = isDoubted !== true && takesNothing.includes(code);
  return { kind: isHereOnly ? 'written' : 'unknown', deferred: { code, message } };
}

/* To be sent with the next attempt. */
export function isWaiting({ kind }: OutboxState): boolean {
  return kind === 'written' || kind === 'unknown';
}

/* Whether those behind it have to wait for it. */
export function isUnsettled(state: OutboxState): boolean {
  return isWaiting(state) || state.kind === 'sent';
}

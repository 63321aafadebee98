/*
 * One row of the outbox: what a person wrote on this device, until the agent has it (docs/lifecycles.md). Pure.
 *
 * The key of a row goes along with every attempt, and the gateway takes a key once. So an answer that was lost is nothing to worry about: the row is
 * `unknown`, the next attempt finds out, and nobody has to guess.
 */

export type OutboxState =
  /* On this device only. */
  | { readonly kind: 'written' }
  | { readonly kind: 'sent' }
  /* Sent, and the answer was lost. */
  | { readonly kind: 'unknown' }
  /* The gateway has it: the id of the turn, or of the thread. */
  | { readonly kind: 'accepted'; readonly id: string }
  /* The agent has begun with it. */
  | { readonly kind: 'taken'; readonly id: string }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /* Too old to be sent unasked: "expired, send again?" */
  | { readonly kind: 'expired' };

export type OutboxEvent =
  | { readonly kind: 'send' }
  | { readonly kind: 'accepted'; readonly id: string }
  /* The gateway took nothing and never will. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /* It took nothing for now: too many requests, or it is stopping. */
  | { readonly kind: 'deferred' }
  /* Nobody knows whether it arrived; also a sender that died while it waited. */
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'taken' }
  | { readonly kind: 'aged' }
  /* A person asks for it again. */
  | { readonly kind: 'again' };

export function nextOutboxRow(state: OutboxState, event: OutboxEvent): OutboxState {
  switch (event.kind) {
    case 'send':
      return isWaiting(state) ? { kind: 'sent' } : state;
    case 'accepted':
      return state.kind === 'sent' ? { kind: 'accepted', id: event.id } : state;
    case 'refused': {
      const { code, message } = event;
      return state.kind === 'sent' || state.kind === 'written'
        ? { kind: 'refused', code, message }
        : state;
    }
    case 'deferred':
    case 'unanswered':
      // An attempt before may have arrived, so what was deferred is not `written` again.
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

/* To be sent with the next attempt. */
export function isWaiting({ kind }: OutboxState): boolean {
  return kind === 'written' || kind === 'unknown';
}

/* Whether those behind it have to wait for it. */
export function isUnsettled(state: OutboxState): boolean {
  return isWaiting(state) || state.kind === 'sent';
}

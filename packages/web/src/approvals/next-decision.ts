/*
 * A decision on its way: chosen, held on this device for a moment in which it can be taken back, then sent. It is held in memory
 * alone, so that nothing is ever decided later than it was seen: what is due long ago was held by a device that slept, and is dropped.
 *
 * open ──► holding ──► sending ──► answered
 *  ▲ ▲        │           │
 *  │ └────────┘           │  taken back, the app was left, or the device slept
 *  └──────────────────────┘  refused, or no answer
 */
import type { Problem } from '../data/problem.ts';
import { type Moment, passedMs } from '../state/moment.ts';

/* A page that is busy is late by less. By more it slept, and nobody was there to take it back. */
const lateMsMax = 1_000;

export type Decision<Choice> =
  | { readonly kind: 'open'; readonly note: DecisionNote | undefined }
  | {
      readonly kind: 'holding';
      readonly choice: Choice;
      readonly since: Moment;
      readonly undoMs: number;
    }
  | { readonly kind: 'sending'; readonly choice: Choice }
  | { readonly kind: 'answered'; readonly choice: Choice };

/* Why it is open again. */
export type DecisionNote =
  | { readonly kind: 'taken-back' }
  | { readonly kind: 'left' }
  | { readonly kind: 'cut-off' }
  | { readonly kind: 'refused'; readonly problem: Problem };

export type DecisionEvent<Choice> =
  | {
      readonly kind: 'chosen';
      readonly choice: Choice;
      readonly at: Moment;
      readonly undoMs: number;
    }
  | { readonly kind: 'taken-back' }
  /* The app, or the card, is not on the screen any more, or was not. */
  | { readonly kind: 'left' }
  /* The connection was lost, or somebody else has decided. */
  | { readonly kind: 'cut-off' }
  | { readonly kind: 'due'; readonly at: Moment }
  | { readonly kind: 'answered' }
  | { readonly kind: 'refused'; readonly problem: Problem };

export function nextDecision<Choice>(
  state: Decision<Choice>,
  event: DecisionEvent<Choice>,
): Decision<Choice> {
  switch (event.kind) {
    case 'chosen': {
      if (state.kind !== 'open') return state;
      const { choice, at, undoMs } = event;
      if (undoMs <= 0) return { kind: 'sending', choice };
      return { kind: 'holding', choice, since: at, undoMs };
    }
    case 'taken-back':
    case 'left':
    case 'cut-off':
      return state.kind === 'holding' ? { kind: 'open', note: { kind: event.kind } } : state;
    case 'due':
      return state.kind === 'holding' ? whenDue(state, event.at) : state;
    case 'answered':
      return state.kind === 'sending' ? { kind: 'answered', choice: state.choice } : state;
    case 'refused':
      return state.kind === 'sending'
        ? { kind: 'open', note: { kind: 'refused', problem: event.problem } }
        : state;
  }
}

function whenDue<Choice>(
  state: Extract<Decision<Choice>, { readonly kind: 'holding' }>,
  at: Moment,
): Decision<Choice> {
  const { since, undoMs, choice } = state;
  if (at.monotonicMs - since.monotonicMs < undoMs) return state;
  const isLate = passedMs(since, at) > undoMs + lateMsMax;
  return isLate ? { kind: 'open', note: { kind: 'left' } } : { kind: 'sending', choice };
}

/*
 * Where the next piece of input goes that is typed into a run on pipes (docs/lifecycles.md). Pure.
 *
 * The gateway takes each byte of the input once, by its offset (I1). So of a piece that was not answered nobody guesses whether it has
 * arrived: it is sent again where it was sent before, and what the gateway has of it is left out there.
 */
export type InputState =
  /* `late`: what was given up and had arrived all the same. */
  | { readonly kind: 'sure'; readonly offset: number; readonly late?: string }
  /* `doubt`: what is in doubt of it since before; undefined: nothing. */
  | {
      readonly kind: 'sending';
      readonly offset: number;
      readonly data: string;
      readonly doubt: string | undefined;
    }
  /* Nobody answered, or not to the point: it may have arrived. */
  | { readonly kind: 'doubtful'; readonly offset: number; readonly data: string };

export type InputEvent =
  | { readonly kind: 'given'; readonly data: string }
  /* The gateway has it, and stands there now. */
  | { readonly kind: 'taken'; readonly inputOffset: number }
  /* It was not taken: the input does not stand where it was sent to. */
  | { readonly kind: 'misplaced'; readonly inputOffset: number }
  | { readonly kind: 'unanswered' }
  /* The run was read. */
  | { readonly kind: 'told'; readonly inputOffset: number }
  /* It was asked for because something else is to be sent now. */
  | { readonly kind: 'asked'; readonly inputOffset: number };

export function nextInput(state: InputState, event: InputEvent): InputState {
  switch (event.kind) {
    case 'given': {
      if (state.kind === 'sending') return state;
      const doubt = state.kind === 'doubtful' ? state.data : undefined;
      return { kind: 'sending', offset: state.offset, data: event.data, doubt };
    }
    case 'taken':
    case 'misplaced':
      return state.kind === 'sending' ? { kind: 'sure', offset: event.inputOffset } : state;
    case 'unanswered':
      return state.kind === 'sending' ? unanswered(state) : state;
    case 'told':
      return told(state, event.inputOffset);
    case 'asked': {
      if (state.kind !== 'doubtful') return told(state, event.inputOffset);
      const next = told(state, event.inputOffset);
      return next === state ? { kind: 'sure', offset: event.inputOffset } : next;
    }
  }
}

/* Whether this may be sent without asking: of what begins with what is in doubt, the gateway leaves out what it has. */
export function goesWithDoubt(state: InputState, data: string): boolean {
  return state.kind !== 'doubtful' || data.startsWith(state.data);
}

type Sending = Extract<InputState, { readonly kind: 'sending' }>;

/* The end of the input has no bytes, and may be asked for as often as one likes. */
function unanswered({ offset, data, doubt }: Sending): InputState {
  const open = data === '' ? doubt : data;
  if (open === undefined) return { kind: 'sure', offset };
  return { kind: 'doubtful', offset, data: open };
}

function told(state: InputState, inputOffset: number): InputState {
  if (state.kind === 'sure') {
    return inputOffset > state.offset ? { ...state, offset: inputOffset } : state;
  }
  // One that is being sent is answered, and what is told may be older than the answer.
  if (state.kind === 'sending' || inputOffset < state.offset + bytesOf(state.data)) return state;
  return { kind: 'sure', offset: inputOffset, late: state.data };
}

function bytesOf(data: string): number {
  return new TextEncoder().encode(data).length;
}

/*
 * One file on its way to the gateway (docs/lifecycles.md). Pure.
 *
 * The gateway knows how much of it is there. So after a lost connection nobody guesses: it is asked, and the file goes on from its answer.
 */

export type UploadState =
  /* The gateway does not know of it yet. */
  | { readonly kind: 'announcing' }
  /* The piece from this offset on is on its way. */
  | { readonly kind: 'sending'; readonly id: string; readonly offset: number }
  /* Nobody answered: how much is there? */
  | { readonly kind: 'asking'; readonly id: string; readonly offset: number }
  | { readonly kind: 'whole'; readonly id: string }
  /* Until a person asks for it again. Without an id it begins anew. */
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly id: string | undefined;
      readonly offset: number;
    };

export type UploadEvent =
  /* The gateway's own word, whatever it was asked. */
  | {
      readonly kind: 'told';
      readonly id: string;
      readonly offset: number;
      readonly isWhole: boolean;
    }
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'refused'; readonly code: string; readonly reason: string }
  /* The file cannot be read any more, such as after the app was loaded anew. */
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'again' };

export function nextUpload(state: UploadState, event: UploadEvent): UploadState {
  if (event.kind === 'again') return state.kind === 'failed' ? begunAnew(state) : state;
  if (state.kind === 'whole' || state.kind === 'failed') return state;
  switch (event.kind) {
    case 'told': {
      const { id, offset, isWhole } = event;
      return isWhole ? { kind: 'whole', id } : { kind: 'sending', id, offset };
    }
    case 'unanswered':
      return state.kind === 'sending' ? { ...state, kind: 'asking' } : state;
    case 'refused':
      // Another piece is there than we knew of.
      if (event.code === 'gap' && state.kind === 'sending') return { ...state, kind: 'asking' };
      return failed(event.code === 'not_found' ? { kind: 'announcing' } : state, event.reason);
    case 'unreadable':
      return failed(state, event.reason);
  }
}

type Open = Extract<UploadState, { readonly kind: 'announcing' | 'sending' | 'asking' }>;

function failed(state: Open, reason: string): UploadState {
  const known = state.kind === 'announcing' ? { id: undefined, offset: 0 } : state;
  return { kind: 'failed', reason, id: known.id, offset: known.offset };
}

function begunAnew({ id, offset }: Extract<UploadState, { readonly kind: 'failed' }>): UploadState {
  return id === undefined ? { kind: 'announcing' } : { kind: 'asking', id, offset };
}

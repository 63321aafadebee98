/*
 * The life of one reader of a run's output (docs/lifecycles.md).
 *
 * `live` takes what the run's one journal reader puts into the window that all readers share. `waiting` is live with a socket
 * that takes no more for now. A reader that waits so long that the window moves on is `behind`. When its socket has room
 * again, it is `reading` the journal by itself until it reaches the window, and joins.
 *
 * LR1 Only `live` and `reading` hand anything to the socket: what a reader holds in memory is bounded by its socket's cap.
 * LR2 Where it goes on is its own cursor in every state, so no change of state loses or repeats a byte.
 */
import { assertNever } from '@clawdfather/kit';

export type ReaderState = 'live' | 'waiting' | 'behind' | 'reading' | 'done';

export type ReaderEvent =
  /* The socket takes no more for now. */
  | 'full'
  /* The socket has room again. */
  | 'drained'
  /* The window no longer has what this reader needs next. */
  | 'overtaken'
  /* It stands exactly where the window has something for it, or will have. */
  | 'joined'
  /* Everything was handed over and the run has ended; or the reader left, or was cut off. */
  | 'finished';

export function nextReader(state: ReaderState, event: ReaderEvent): ReaderState {
  if (state === 'done' || event === 'finished') return 'done';
  switch (event) {
    case 'full':
      if (state === 'live') return 'waiting';
      return state === 'reading' ? 'behind' : state;
    case 'drained':
      if (state === 'waiting') return 'live';
      return state === 'behind' ? 'reading' : state;
    case 'overtaken':
      if (state === 'live') return 'reading';
      return state === 'waiting' ? 'behind' : state;
    case 'joined':
      if (state === 'reading') return 'live';
      return state === 'behind' ? 'waiting' : state;
    default:
      return assertNever(event);
  }
}

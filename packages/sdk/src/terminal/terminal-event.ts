/*
 * What a terminal of a run hears, in the order of the run's output. Each event but the last two has the cursor after it.
 */
import type { RunServerMessage } from '@clawdfather/protocol/api';

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

export type RunExit = Extract<RunServerMessage, { type: 'run_ended' }>['exit'];

/* Has a place in the output: whoever comes again from its cursor gets what follows. */
export type PlacedEvent =
  | {
      readonly kind: 'output';
      readonly stream: 'stdout' | 'stderr';
      readonly bytes: Uint8Array;
      readonly cursor: string;
    }
  /* Output that is no longer kept. */
  | { readonly kind: 'gap'; readonly missedBytes: number; readonly cursor: string }
  /* The journal was cut, deleted or altered here. */
  | { readonly kind: 'damaged'; readonly missedBytes: number; readonly cursor: string }
  /* The journal ends without its end. 0 missed bytes: it is not known how many. */
  | { readonly kind: 'tail-lost'; readonly missedBytes: number; readonly cursor: string }
  | {
      readonly kind: 'resize';
      readonly cols: number;
      readonly rows: number;
      readonly cursor: string;
    }
  /*
   * True: from here on this terminal answers the program's questions. False: no longer, because the connection was lost or the
   * reader was far behind; what follows is history until the next true.
   */
  | { readonly kind: 'answers'; readonly isOurs: boolean; readonly cursor: string }
  /* Connected again, after `rejoinAt` was asked: what follows goes on from the cursor, which need not be the last one. */
  | { readonly kind: 'rejoined'; readonly cursor: string };

export type TerminalEvent =
  | PlacedEvent
  /* The size that this terminal holds for the run's now; undefined: none. Another client may still take it: `resize` says so. */
  | { readonly kind: 'fit'; readonly size: TerminalSize | undefined }
  /* The gateway refused a new size, say because the run has ended or the token may only look. */
  | {
      readonly kind: 'refused';
      readonly about: string;
      readonly code: string;
      readonly message: string;
    }
  /* After the last byte. Nothing follows. */
  | { readonly kind: 'exit'; readonly exit: RunExit };

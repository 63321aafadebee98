/*
 * An abort signal for a run that is ending (T5).
 *
 * The shim has the clocks and decides when to end the run. The signal follows what the shim reports: a cancel, a timeout,
 * the loss of the owner. There is no second clock. The controller is created when the signal is first read.
 */
import type { TerminationReason } from '../../types.ts';

export interface EndingSignal {
  readonly signal: AbortSignal;
  /* The first cause wins (T3). */
  begin(reason: TerminationReason): void;
}

export function createEndingSignal(): EndingSignal {
  let controller: AbortController | undefined;
  let cause: TerminationReason | undefined;

  return {
    get signal() {
      controller ??= new AbortController();
      if (cause !== undefined && !controller.signal.aborted) controller.abort(reasonOf(cause));
      return controller.signal;
    },
    begin: (reason) => {
      if (cause !== undefined) return;
      cause = reason;
      controller?.abort(reasonOf(reason));
    },
  };
}

function reasonOf(cause: TerminationReason): DOMException {
  const isTimeout = cause === 'overall-timeout' || cause === 'no-output-timeout';
  return new DOMException(`the run is ending: ${cause}`, isTimeout ? 'TimeoutError' : 'AbortError');
}

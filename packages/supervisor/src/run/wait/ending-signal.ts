/*
 * Document 001's AbortController tree as a projection of the shim's state (T5).
 *
 * The shim has the clocks and the ladder; here an abort signal follows what it reports: a cancel, either timeout,
 * owner loss. There is no second clock. The controller is made only when somebody asks for the signal.
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

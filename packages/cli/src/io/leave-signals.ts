/*
 * For commands that only look at something that goes on elsewhere: INT, TERM and HUP mean that whoever looks wants to leave.
 */
import type { Io } from './io.ts';

export interface LeaveSignals extends Disposable {
  /* Aborts with the first of them. */
  readonly signal: AbortSignal;
}

const leaving = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function listenForLeave({ signals }: Pick<Io, 'signals'>): LeaveSignals {
  const leave = new AbortController();
  const listening = new DisposableStack();
  for (const name of leaving) listening.use(signals.on(name, () => leave.abort()));
  return { signal: leave.signal, [Symbol.dispose]: () => listening.dispose() };
}

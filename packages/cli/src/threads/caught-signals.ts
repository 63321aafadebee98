/*
 * Signals of a person who waits for a turn: the first means to stop the agent, the next to leave.
 */
import type { Io } from '../io/io.ts';

export interface CaughtSignals extends Disposable {
  /* Aborts when the person leaves. */
  readonly leave: AbortSignal;
  /* Until somebody takes the first signal, it means to leave. */
  onFirst(handler: () => void): void;
  /* The last one that came. */
  name(): NodeJS.Signals | undefined;
}

export function catchSignals({ io }: { readonly io: Pick<Io, 'signals'> }): CaughtSignals {
  const leave = new AbortController();
  const stack = new DisposableStack();
  let onFirst: (() => void) | undefined;
  let name: NodeJS.Signals | undefined;
  for (const one of ['SIGINT', 'SIGTERM'] as const) {
    const handler = (): void => {
      name = one;
      const first = onFirst;
      onFirst = undefined;
      if (first === undefined) leave.abort();
      else first();
    };
    stack.use(io.signals.on(one, handler));
  }
  // A lost terminal is no wish to stop the agent.
  const hangUp = (): void => {
    name = 'SIGHUP';
    leave.abort();
  };
  stack.use(io.signals.on('SIGHUP', hangUp));
  return {
    leave: leave.signal,
    onFirst: (handler) => {
      onFirst = handler;
    },
    name: () => name,
    [Symbol.dispose]: () => stack.dispose(),
  };
}

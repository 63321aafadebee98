/*
 * A signal that arrives while the run is being started, until somebody else
 * listens for signals. Without this it would end us and leave behind a run that
 * nobody meant to keep.
 *
 * The abort takes the request back: before the start nothing runs, after it the
 * supervisor ends the run (T5).
 */
import type { Signals } from '../io/io.ts';

const ending = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface StartTrap extends Disposable {
  readonly signal: AbortSignal;
  /* Which one it was. */
  readonly caught: () => NodeJS.Signals | undefined;
  /* From now on signals mean something else. */
  disarm(): void;
}

export function openStartTrap(signals: Signals): StartTrap {
  const controller = new AbortController();
  let caught: NodeJS.Signals | undefined;
  let isArmed = true;
  const stack = new DisposableStack();
  for (const name of ending) {
    const listening = signals.on(name, () => {
      if (!isArmed) return;
      caught ??= name;
      controller.abort(new Error(`${name} came before the start`));
    });
    stack.use(listening);
  }
  return {
    signal: controller.signal,
    caught: () => caught,
    disarm: () => {
      isArmed = false;
    },
    [Symbol.dispose]: () => stack.dispose(),
  };
}

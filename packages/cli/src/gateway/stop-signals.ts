/*
 * How a serving process is asked to stop: TERM, INT, HUP. The first is an order to stop in peace; a second INT or TERM means at
 * once, which is no worse than a crash, and crashes are what everything here is made for.
 */
import type { Io } from '../io/io.ts';

export interface StopSignals extends Disposable {
  /* Resolves with the first signal. */
  readonly asked: Promise<NodeJS.Signals>;
  /* Resolves with a second INT or TERM. */
  readonly hurried: Promise<NodeJS.Signals>;
}

const endingSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export function listenForStop({ signals }: Pick<Io, 'signals'>): StopSignals {
  const asked = Promise.withResolvers<NodeJS.Signals>();
  const hurried = Promise.withResolvers<NodeJS.Signals>();
  let isAsked = false;
  const stop = (name: NodeJS.Signals): void => {
    if (isAsked && name !== 'SIGHUP') hurried.resolve(name);
    isAsked = true;
    asked.resolve(name);
  };
  const listening = new DisposableStack();
  for (const name of endingSignals) listening.use(signals.on(name, () => stop(name)));
  return {
    asked: asked.promise,
    hurried: hurried.promise,
    [Symbol.dispose]: () => listening.dispose(),
  };
}

/*
 * Places in an answer at which the model waits for the test. A gate that was released stays open.
 */
import { deferred, type Deferred, unlessAborted } from '@clawdfather/kit';

export interface Gates {
  /** Resolves when an answer stands at the gate. */
  reached(name: string): Promise<void>;
  release(name: string): void;
  /** Used by the model: tells that it is here, and waits. False when the signal came first. */
  pass(name: string, signal: AbortSignal): Promise<boolean>;
}

interface Gate {
  readonly reached: Deferred<void>;
  readonly released: Deferred<void>;
}

export function createGates(): Gates {
  const gates = new Map<string, Gate>();
  const find = (name: string): Gate => {
    const gate = gates.get(name) ?? { reached: deferred(), released: deferred() };
    gates.set(name, gate);
    return gate;
  };
  return {
    reached: (name) => find(name).reached.promise,
    release: (name) => find(name).released.resolve(),
    pass: async (name, signal) => {
      const { reached, released } = find(name);
      reached.resolve();
      await unlessAborted(released.promise, signal);
      return !signal.aborted;
    },
  };
}

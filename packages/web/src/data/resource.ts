/*
 * Something that is read from the gateway and shown: what is known of it, from when, and what failed last.
 *
 * What was known stays on the screen while it is read again, and when that fails.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Clock } from '@clawdfather/kit';
import { type Problem, problemOf } from './problem.ts';

export interface Resource<Value> {
  readonly value: ReadonlySignal<Value | undefined>;
  readonly asOfMs: ReadonlySignal<number | undefined>;
  readonly problem: ReadonlySignal<Problem | undefined>;
  /* One at a time: a second call while one is under way waits for that one. */
  refresh(): Promise<void>;
}

export function createResource<Value>(
  clock: Pick<Clock, 'wallMs'>,
  load: () => Promise<Value>,
): Resource<Value> {
  const value = signal<Value | undefined>(undefined);
  const asOfMs = signal<number | undefined>(undefined);
  const problem = signal<Problem | undefined>(undefined);
  let loading: Promise<void> | undefined;
  const loadOnce = async (): Promise<void> => {
    try {
      value.value = await load();
      asOfMs.value = clock.wallMs();
      problem.value = undefined;
    } catch (error) {
      problem.value = problemOf(error);
    }
  };
  return {
    value,
    asOfMs,
    problem,
    refresh: () => {
      loading ??= loadOnce().finally(() => {
        loading = undefined;
      });
      return loading;
    },
  };
}

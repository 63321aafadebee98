/*
 * Something that is read from the gateway and shown: what is known of it, from when, and what failed last.
 *
 * What was known stays on the screen while it is read again, and when that fails. With a key it is also kept on the device, and shown at once
 * the next time, until the gateway has answered.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Clock } from '@clawdfather/kit';
import type { DeviceStorage } from '../storage/device-storage.ts';
import { type Problem, problemOf } from './problem.ts';

export interface Resource<Value> {
  readonly value: ReadonlySignal<Value | undefined>;
  readonly asOfMs: ReadonlySignal<number | undefined>;
  readonly problem: ReadonlySignal<Problem | undefined>;
  /* What is shown is from the device; the gateway has not answered yet. */
  readonly isKept: ReadonlySignal<boolean>;
  /* One at a time. What is asked for while one is under way may be newer than its answer: it looks once more then. */
  refresh(): Promise<void>;
}

export interface ResourceDeps {
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly storage: Pick<DeviceStorage, 'snapshots' | 'writer'>;
}

export interface ResourceOptions {
  /* Under which it is kept on the device, such as `threads`. Absent: it is not kept. */
  readonly key?: string;
}

export function createResource<Value>(
  { clock, storage }: ResourceDeps,
  load: () => Promise<Value>,
  { key }: ResourceOptions = {},
): Resource<Value> {
  const value = signal<Value | undefined>(undefined);
  const asOfMs = signal<number | undefined>(undefined);
  const problem = signal<Problem | undefined>(undefined);
  const isKept = signal(false);
  let loading: Promise<void> | undefined;
  let isAskedAgain = false;
  let isLookedFor = key === undefined;
  const showKept = async (): Promise<void> => {
    if (isLookedFor || key === undefined) return;
    isLookedFor = true;
    const kept = await storage.snapshots.read<Value>(key);
    if (kept === undefined || value.value !== undefined) return;
    isKept.value = true;
    asOfMs.value = kept.atMs;
    value.value = kept.value;
  };
  const loadOnce = async (): Promise<void> => {
    const { snapshot } = storage.writer();
    try {
      const loaded = await load();
      value.value = loaded;
      asOfMs.value = clock.wallMs();
      isKept.value = false;
      problem.value = undefined;
      if (key !== undefined) void snapshot(key, loaded);
    } catch (error) {
      problem.value = problemOf(error);
    }
  };
  const loadUntilFresh = async (): Promise<void> => {
    do {
      isAskedAgain = false;
      await loadOnce();
    } while (isAskedAgain);
  };
  return {
    value,
    asOfMs,
    problem,
    isKept,
    refresh: () => {
      void showKept();
      if (loading !== undefined) isAskedAgain = true;
      loading ??= loadUntilFresh().finally(() => {
        loading = undefined;
      });
      return loading;
    },
  };
}

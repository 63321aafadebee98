/*
 * Steps of an agent on their way into the database: many small ones are committed together (W9).
 *
 * The first is handed out at once. While a commit is under way the next ones gather, and after it they wait a moment longer: the time
 * of a commit again, so that under load commits are fewer and fuller, and never longer than 25 ms.
 */
import type { WireStep } from '@clawdfather/agents';
import { type Clock, createSignalBell } from '@clawdfather/kit';

export interface StepBuffer {
  /* Resolves when there is room for more. */
  add(steps: readonly WireStep[]): Promise<void>;
  /* No more will come. */
  end(): void;
  /* All that has gathered; undefined: that was all. */
  take(): Promise<readonly WireStep[] | undefined>;
}

const gatherMsMax = 25;
/* A reader that is faster than the database waits. A step is a message, and may have megabytes: then few are enough. */
const stepsMax = 2_000;
const bytesMax = 4 * 1024 * 1024;

export function createStepBuffer(clock: Clock, signal: AbortSignal): StepBuffer {
  const came = createSignalBell();
  const taken = createSignalBell();
  let steps: WireStep[] = [];
  let bytes = 0;
  let isEnded = false;
  let tookAtMs = Number.NEGATIVE_INFINITY;
  const isFull = (): boolean => steps.length >= stepsMax || bytes >= bytesMax;
  return {
    add: async (more) => {
      if (more.length === 0) return;
      steps.push(...more);
      bytes += bytesOf(more);
      came.ring();
      while (isFull()) await taken.wait(signal);
    },
    end: () => {
      isEnded = true;
      came.ring();
    },
    take: async () => {
      const commitMs = clock.monotonicMs() - tookAtMs;
      while (steps.length === 0) {
        if (isEnded) return undefined;
        await came.wait(signal);
      }
      if (commitMs < gatherMsMax && !isEnded && !isFull()) await clock.sleep(commitMs, signal);
      tookAtMs = clock.monotonicMs();
      const all = steps;
      steps = [];
      bytes = 0;
      taken.ring();
      return all;
    },
  };
}

export function bytesOf(steps: readonly WireStep[]): number {
  return steps.reduce((sum, { items }) => sum + items.reduce(addItem, 0), 0);
}

function addItem(sum: number, item: WireStep['items'][number]): number {
  return sum + ('bytes' in item ? item.bytes : 100);
}

/*
 * What is read once and then followed: a conversation, the output of a run. Its first page is asked for until it is there, however long the
 * gateway is away; what fails is told meanwhile, and no longer than it is so.
 */
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { abortWith, backoffMs } from '@clawdfather/kit';
import { type FollowOptions, isWorthRetrying } from '@clawdfather/sdk';
import { type Problem, problemOf } from './problem.ts';

export interface FollowingDeps extends Pick<FollowOptions, 'clock' | 'random' | 'renewals'> {
  /* The end of it all. */
  readonly ending: AbortSignal;
}

interface Steps<First> {
  /* Tried again while that may help, and at once when the connection is renewed. */
  readonly first: (signal: AbortSignal) => Promise<First>;
  /* Has its own ways to stay connected. What it throws is for good. */
  readonly follow: (first: First) => Promise<void>;
}

export interface Following {
  readonly problem: ReadonlySignal<Problem | undefined>;
  /* A person does not want to wait, or something is different now. */
  readonly retry: () => void;
}

export function startFollowing<First>(
  { renewals, ...deps }: FollowingDeps,
  { first, follow }: Steps<First>,
): Following {
  const problem = signal<Problem | undefined>(undefined);
  const failed = (error: unknown): void => {
    if (!deps.ending.aborted) problem.value = problemOf(error);
  };
  let isOver = false;
  let wake = (): void => {};
  const wakes = (renew: () => void): (() => void) => {
    wake = renew;
    return renewals?.(renew) ?? (() => {});
  };
  const run = async (): Promise<void> => {
    isOver = false;
    try {
      const begun = await keepTrying({ ...deps, renewals: wakes }, first, failed);
      problem.value = undefined;
      await follow(begun);
    } catch (error) {
      failed(error);
    }
    isOver = true;
  };
  void run();
  return {
    problem,
    retry: () => {
      if (problem.value === undefined) return;
      if (isOver) void run();
      else wake();
    },
  };
}

async function keepTrying<Result>(
  { clock, random, renewals, ending }: FollowingDeps & Required<Pick<FollowingDeps, 'renewals'>>,
  work: (signal: AbortSignal) => Promise<Result>,
  onFailed: (error: unknown) => void,
): Promise<Result> {
  let attempt = 0;
  while (true) {
    ending.throwIfAborted();
    const renewed = new AbortController();
    const stop = renewals(() => renewed.abort());
    const leave = abortWith(ending, renewed);
    try {
      return await work(renewed.signal);
    } catch (error) {
      ending.throwIfAborted();
      if (!renewed.signal.aborted) {
        if (!isWorthRetrying(error)) throw error;
        onFailed(error);
        // A renewal ends the wait; the end of it all is looked at above.
        await clock.sleep(backoffMs(attempt, random), renewed.signal).catch(() => {});
      }
      attempt = renewed.signal.aborted ? 0 : attempt + 1;
    } finally {
      stop();
      leave();
    }
  }
}

export interface Attempt {
  /* Why the last one failed. */
  readonly problem: ReadonlySignal<Problem | undefined>;
  readonly run: () => Promise<void>;
}

/* Something that a person asks for: one at a time. */
export function createAttempt(work: () => Promise<unknown>, ending: AbortSignal): Attempt {
  const problem = signal<Problem | undefined>(undefined);
  let running: Promise<void> | undefined;
  const runOnce = async (): Promise<void> => {
    try {
      await work();
      problem.value = undefined;
    } catch (error) {
      if (!ending.aborted) problem.value = problemOf(error);
    }
  };
  return {
    problem,
    run: () => {
      running ??= runOnce().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

/* Of both as one: what is shown of it, and the way to try again. */
export function joinProblems(following: Following, older: Attempt): Following {
  return {
    problem: computed(() => following.problem.value ?? older.problem.value),
    retry: () => {
      following.retry();
      if (older.problem.value !== undefined) void older.run();
    },
  };
}

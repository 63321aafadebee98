/*
 * Something that a person does: under way, done, or refused with the reason. One at a time.
 *
 * What is done at the gateway is off while the gateway is away, and says why (parts/act-note.tsx): it is for the moment in which it is asked
 * for, and never kept for later.
 */
import { useRef, useState } from 'preact/hooks';
import { RefusedError } from '@clawdfather/sdk';
import { useApp } from '../app-context.ts';
import { formatLength } from '../text/time-words.ts';
import { type Problem, problemOf } from './problem.ts';

export interface Act {
  readonly isBusy: boolean;
  /* Its buttons are off: it is under way, or cannot be done now. */
  readonly isOff: boolean;
  /* Why it cannot be done now. */
  readonly whyOff: string | undefined;
  readonly problem: Problem | undefined;
  /* True when it was done. A second one while the first is under way is not begun, and none while it is off. */
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
  readonly forget: () => void;
}

/* `here`: the gateway is not needed for it. */
export function useAct(where: 'here' | 'gateway' = 'gateway'): Act {
  const awayWords = useAwayWords();
  const whyOff = where === 'here' ? undefined : awayWords;
  const isRunning = useRef(false);
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  return {
    isBusy,
    isOff: isBusy || whyOff !== undefined,
    whyOff,
    problem,
    run: async (work) => {
      if (isRunning.current || whyOff !== undefined) return false;
      isRunning.current = true;
      setIsBusy(true);
      try {
        await work();
        setProblem(undefined);
        return true;
      } catch (error) {
        setProblem(withTimeLeft(error));
        return false;
      } finally {
        isRunning.current = false;
        setIsBusy(false);
      }
    },
    forget: () => setProblem(undefined),
  };
}

function useAwayWords(): string | undefined {
  const { connection } = useApp();
  if (connection.canAct.value) return undefined;
  return connection.state.value.link.kind === 'offline'
    ? 'This device is offline. You can do this when it is back.'
    : 'You can do this as soon as the gateway answers.';
}

/* A limit says when it is worth trying again. */
function withTimeLeft(error: unknown): Problem {
  const problem = problemOf(error);
  const leftMs = error instanceof RefusedError ? error.refusal.retryAfterMs : undefined;
  if (leftMs === undefined) return problem;
  const when = `Try again in ${formatLength(leftMs)}.`;
  return { ...problem, hint: problem.hint === undefined ? when : `${problem.hint} ${when}` };
}

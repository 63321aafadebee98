/*
 * Carries a decision out: holds it, sends it, and takes it back when the app is hidden or left before that.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Clock, Timer } from '@clawdfather/kit';
import { problemOf } from '../data/problem.ts';
import { momentOf } from '../state/moment.ts';
import { type Decision, type DecisionEvent, nextDecision } from './next-decision.ts';

/* What came of what was sent. `refused` is also no answer, and that somebody else was faster. */
export type OnDecided = (outcome: 'answered' | 'refused') => void;

export interface DecisionDeps<Choice> {
  readonly clock: Pick<Clock, 'monotonicMs' | 'wallMs' | 'timer'>;
  readonly undoMs: number;
  readonly send: (choice: Choice) => Promise<unknown>;
  readonly onDone: OnDecided;
  /* False: no decision is possible now, and one that is held is dropped. */
  readonly canDecide: boolean;
}

export interface DecisionMachine<Choice> {
  readonly state: Decision<Choice>;
  choose(choice: Choice): void;
  takeBack(): void;
}

export function useDecision<Choice>(deps: DecisionDeps<Choice>): DecisionMachine<Choice> {
  const [state, setState] = useState<Decision<Choice>>({ kind: 'open', note: undefined });
  const now = useRef(state);
  const latest = useRef(deps);
  latest.current = deps;
  const { clock, canDecide } = deps;
  const tell = (event: DecisionEvent<Choice>): void => {
    const before = now.current;
    now.current = nextDecision(before, event);
    if (now.current === before) return;
    setState(now.current);
    if (now.current.kind === 'sending') void send(now.current.choice);
  };
  const send = async (choice: Choice): Promise<void> => {
    const event = await latest.current.send(choice).then(
      () => ({ kind: 'answered' }) as const,
      (error: unknown) => ({ kind: 'refused', problem: problemOf(error) }) as const,
    );
    tell(event);
    latest.current.onDone(event.kind);
  };
  useEffect(() => {
    if (state.kind !== 'holding') return;
    const { since, undoMs } = state;
    let timer: Timer;
    const wait = (): void => {
      timer = clock.timer(since.monotonicMs + undoMs - clock.monotonicMs(), () => {
        tell({ kind: 'due', at: momentOf(clock) });
        // A browser's timer may be early by a fraction of a millisecond.
        if (now.current === state) wait();
      });
    };
    wait();
    return () => timer.cancel();
  }, [state]);
  useEffect(() => {
    if (!canDecide) tell({ kind: 'cut-off' });
  }, [canDecide]);
  useEffect(() => {
    const leave = (): void => {
      if (document.visibilityState === 'hidden') tell({ kind: 'left' });
    };
    document.addEventListener('visibilitychange', leave);
    return () => {
      document.removeEventListener('visibilitychange', leave);
      tell({ kind: 'left' });
    };
  }, []);
  return {
    state,
    choose: (choice) => {
      if (!latest.current.canDecide) return;
      // Felt where a phone can do it; nothing depends on it.
      navigator.vibrate?.(10);
      tell({ kind: 'chosen', choice, at: momentOf(clock), undoMs: latest.current.undoMs });
    },
    takeBack: () => tell({ kind: 'taken-back' }),
  };
}

/*
 * What an agent asks, and its answers. A tap counts only when the card has stood still for a moment, so that a card that appears
 * under a finger decides nothing.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { type Problem, problemOf } from '../data/problem.ts';
import type { Ask } from '../text/thread-words.ts';
import { ProblemView } from './problem-view.tsx';

/* The time in which a tap was meant for what was there before. */
const armMs = 600;

export function AskCard({ ask, onDone }: { readonly ask: Ask; readonly onDone: () => void }) {
  const { client, clock } = useApp();
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const [isArmed, setIsArmed] = useState(false);
  const shown = useRef<HTMLElement>(null);
  useEffect(() => {
    const timer = clock.timer(armMs, () => setIsArmed(true));
    return () => timer.cancel();
  }, [clock]);
  const answer = async (
    body: { option_id: string } | { action: 'decline' | 'cancel' },
  ): Promise<void> => {
    if (!isArmed) return;
    try {
      await client.asks.answer({ params: { id: ask.id }, body });
    } catch (error) {
      setProblem(problemOf(error));
    }
    onDone();
  };
  return (
    <section class="ask" ref={shown} aria-label={`${ask.agent} asks`}>
      <h2>{ask.agent} asks</h2>
      <div class="command">{ask.title}</div>
      {problem !== undefined && <ProblemView problem={problem} />}
      <div class="answers">
        {[...ask.options].sort(denyFirst).map(({ option_id: option, name, kind }) => (
          <button
            key={option}
            type="button"
            class={kind.startsWith('allow') ? 'button main' : 'button'}
            disabled={!isArmed}
            onClick={() => void answer({ option_id: option })}
          >
            {name}
          </button>
        ))}
        {ask.class === 'question' && (
          <button
            type="button"
            class="button"
            disabled={!isArmed}
            onClick={() => void answer({ action: 'decline' })}
          >
            Decline
          </button>
        )}
      </div>
    </section>
  );
}

/* Allow stands at the right, where the thumb does not rest. */
function denyFirst(one: { kind: string }, other: { kind: string }): number {
  return Number(one.kind.startsWith('allow')) - Number(other.kind.startsWith('allow'));
}

/*
 * Something that waits for a decision, read whole before it is shown: what is decided is what is on the screen.
 */
import { useEffect, useMemo } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { createResource } from '../data/resource.ts';
import { ApprovalCard } from './approval-card.tsx';
import { AskCard } from './ask-card.tsx';
import { ProblemView } from './problem-view.tsx';

export interface DecisionCardProps {
  readonly id: string;
  /* A command that somebody wants to run, or what an agent asks in its thread. */
  readonly kind: 'command' | 'ask';
  readonly onDone: () => void;
}

export function DecisionCard({ id, kind, onDone }: DecisionCardProps) {
  const { client, clock } = useApp();
  const whole = useMemo(
    () =>
      createResource(clock, async () =>
        kind === 'command'
          ? { approval: await client.approvals.get({ params: { id } }) }
          : { ask: await client.asks.get({ params: { id } }) },
      ),
    [client, clock, kind, id],
  );
  useEffect(() => void whole.refresh(), [whole]);
  const known = whole.value.value;
  const problem = whole.problem.value;
  if (known === undefined) return problem === undefined ? null : <ProblemView problem={problem} />;
  if (known.approval !== undefined)
    return <ApprovalCard approval={known.approval} onDone={onDone} />;
  return <AskCard ask={known.ask} onDone={onDone} />;
}

/*
 * Something that waits for a decision, read whole before it is shown: what is decided is what is on the screen. It is read again
 * when the account tells of approvals or asks, so what was decided elsewhere is said here at once. It is not kept on the device: what was
 * open then may be over, and the input and the environment of a command may hold secrets.
 */
import { useEffect, useMemo } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import type { DecisionPlace } from '../approvals/decision-frame.tsx';
import { createResource } from '../data/resource.ts';
import { useRefreshOn } from '../state/feed.ts';
import type { Ask } from '../text/thread-words.ts';
import { ApprovalCard } from './approval-card.tsx';
import { AskCard } from './ask-card.tsx';
import { ProblemView } from './problem-view.tsx';

export interface DecisionCardProps {
  readonly id: string;
  /* A command that somebody wants to run, or what an agent asks in its thread. */
  readonly kind: 'command' | 'ask';
  readonly place?: DecisionPlace;
  readonly onDone?: () => void;
  /* It is read, and what kind of ask it is can be said. */
  readonly onAsk?: (ask: Ask) => void;
}

export function DecisionCard({ id, kind, place = 'inline', onDone, onAsk }: DecisionCardProps) {
  const app = useApp();
  const { client, clock, feed } = app;
  const whole = useMemo(
    () =>
      createResource(app, async () => {
        if (kind === 'ask') return { ask: await client.asks.get({ params: { id } }) };
        const approval = await client.approvals.get({ params: { id } });
        return { approval, readAtMs: clock.monotonicMs() };
      }),
    [client, clock, kind, id],
  );
  useEffect(() => void whole.refresh(), [whole]);
  useRefreshOn(feed, ['approval_', 'ask_'], whole);
  const known = whole.value.value;
  const problem = whole.problem.value;
  const ask = known?.ask;
  useEffect(() => {
    if (ask !== undefined) onAsk?.(ask);
  }, [ask, onAsk]);
  const done = (): void => {
    void whole.refresh();
    onDone?.();
  };
  if (known === undefined) {
    return problem === undefined ? null : (
      <ProblemView problem={problem} onRetry={() => void whole.refresh()} />
    );
  }
  if (known.approval === undefined) return <AskCard ask={known.ask} place={place} onDone={done} />;
  const { approval, readAtMs } = known;
  return <ApprovalCard approval={approval} readAtMs={readAtMs} place={place} onDone={done} />;
}

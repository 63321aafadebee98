/*
 * What an agent asks in its thread: a permission with its options, or a question with its form.
 */
import { useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { factsOfAsk } from '../approvals/ask-facts.ts';
import { PermissionCard } from '../approvals/permission-card.tsx';
import type { DecisionPlace } from '../approvals/decision-frame.tsx';
import { outcomeOfAsk } from '../approvals/outcome-words.ts';
import type { Ask } from '../text/thread-words.ts';
import { QuestionCard } from '../approvals/question-card.tsx';
import { type OnDecided, useDecision } from '../approvals/use-decision.ts';
import { useObstacle } from '../approvals/use-may-decide.ts';
import { formatWhen, useWho } from '../approvals/use-who.ts';
import { Badge } from './rows.tsx';

export interface AskCardProps {
  readonly ask: Ask;
  readonly place?: DecisionPlace;
  readonly onDone: OnDecided;
}

export interface AskChoice {
  readonly doing: string;
  readonly body:
    | { readonly option_id: string }
    | { readonly content: Record<string, string | number | boolean | string[]> }
    | { readonly action: 'decline' | 'cancel' };
}

export function AskCard({ ask, place = 'inline', onDone }: AskCardProps) {
  const { client, clock, preferences } = useApp();
  const [facts] = useState(() => factsOfAsk(ask));
  const obstacle = useObstacle();
  const isOver = ask.state !== 'open';
  const machine = useDecision<AskChoice>({
    clock,
    undoMs: preferences.undoMs.value,
    canDecide: obstacle === undefined && !isOver,
    onDone,
    send: ({ body }) =>
      client.asks.answer({ params: { id: ask.id }, body: { ...body, digest: ask.digest } }),
  });
  const over = isOver ? <Over ask={ask} /> : undefined;
  const Card = ask.class === 'question' ? QuestionCard : PermissionCard;
  return (
    <Card ask={ask} place={place} facts={facts} machine={machine} off={obstacle} over={over} />
  );
}

function Over({ ask }: { readonly ask: Ask }) {
  const { gatewayTime } = useApp();
  const who = useWho(ask.decided_by !== null);
  const at = formatWhen(ask.decided_at, gatewayTime.nowMs());
  const outcome = outcomeOfAsk(ask, who(ask.decided_by), at);
  if (outcome === undefined) return null;
  return (
    <div class="over" role="status">
      <p>
        <Badge mood={outcome.mood}>{outcome.word}</Badge> {outcome.text}
      </p>
    </div>
  );
}

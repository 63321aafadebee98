/*
 * One decision on a screen of its own: an approval, or what an agent asks.
 */
import { useCallback, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { nameOfAsk } from '../approvals/answer-words.ts';
import { DecisionCard } from '../parts/decision-card.tsx';
import { Screen } from '../parts/screen.tsx';
import type { Ask } from '../text/thread-words.ts';

export function ApprovalScreen({ id }: { readonly id: string }) {
  return (
    <Screen
      title="Approval"
      back={{ to: '/inbox', name: 'Inbox' }}
      actions={<AllLink />}
      scrolls="itself"
    >
      <DecisionCard id={id} kind="command" place="whole" />
    </Screen>
  );
}

export function AskScreen({ id }: { readonly id: string }) {
  // What it is, is known when it is read.
  const [title, setTitle] = useState('Request');
  const onAsk = useCallback((ask: Ask) => setTitle(nameOfAsk(ask)), []);
  return (
    <Screen
      title={title}
      back={{ to: '/inbox', name: 'Inbox' }}
      actions={<AllLink />}
      scrolls="itself"
    >
      <DecisionCard id={id} kind="ask" place="whole" onAsk={onAsk} />
    </Screen>
  );
}

function AllLink() {
  return (
    <Link class="button plain" href="/approvals">
      All
    </Link>
  );
}

/*
 * Who asks, since when, and the way to the conversation that it belongs to.
 */
import { Link, useLocation } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import { formatAgo } from '../text/time-words.ts';
import type { Ask } from '../text/thread-words.ts';

export function AskHead({ ask, says }: { readonly ask: Ask; readonly says: string }) {
  const { gatewayTime } = useApp();
  const [location] = useLocation();
  const to = `/threads/${ask.thread_id}`;
  return (
    <header class="decision-head">
      <h2>
        {ask.agent} {says}
      </h2>
      <p class="quiet">
        {formatAgo(Date.parse(ask.asked_at), gatewayTime.nowMs())}
        {location !== to && (
          <>
            {' · '}
            <Link href={to}>open the thread</Link>
          </>
        )}
      </p>
    </header>
  );
}

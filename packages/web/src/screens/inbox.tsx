/*
 * What needs you: commands and agents that wait for a decision, oldest first; and what works meanwhile.
 */
import { useMemo } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import { createResource } from '../data/resource.ts';
import { ApprovalCard } from '../parts/approval-card.tsx';
import { AskCard } from '../parts/ask-card.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Badge, Empty, Group, Row } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { useRefreshOn } from '../state/feed.ts';

export function InboxScreen() {
  const { client, clock, feed } = useApp();
  const inbox = useMemo(
    () =>
      createResource(clock, async () => {
        const [approvals, asks, threads] = await Promise.all([
          client.approvals.list({ query: { state: 'pending', limit: 50 } }),
          client.asks.list(),
          client.threads.list({ query: { status: 'running', limit: 20 } }),
        ]);
        return { approvals: [...approvals.items].reverse(), asks: asks.items, working: threads };
      }),
    [client, clock],
  );
  useRefreshOn(feed, ['approval_', 'ask_', 'turn_'], inbox);
  const refresh = (): void => void inbox.refresh();
  return (
    <Screen title="Inbox">
      <ResourceView resource={inbox}>
        {({ approvals, asks, working }) => (
          <>
            {approvals.length + asks.length === 0 && (
              <Empty title="Nothing needs you">
                <p>{working.total === 0 ? 'No thread is working.' : `${working.total} working.`}</p>
                {working.total === 0 && (
                  <Link class="button main" href="/new">
                    Start a thread
                  </Link>
                )}
              </Empty>
            )}
            {approvals.map((approval) => (
              <ApprovalCard key={approval.id} approval={approval} onDone={refresh} />
            ))}
            {asks.map((ask) => (
              <AskCard key={ask.id} ask={ask} onDone={refresh} />
            ))}
            {working.items.length > 0 && (
              <Group title="Working" count={working.total}>
                {working.items.map(({ id, title, agent, directory }) => (
                  <Row
                    key={id}
                    to={`/threads/${id}`}
                    what={title === '' ? directory : title}
                    facts={agent}
                    after={<Badge mood="working">working</Badge>}
                  />
                ))}
              </Group>
            )}
          </>
        )}
      </ResourceView>
    </Screen>
  );
}

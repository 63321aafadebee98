/*
 * All conversations: what works, what waits, and what is done.
 */
import { useMemo } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import { createResource } from '../data/resource.ts';
import { ResourceView } from '../parts/resource-view.tsx';
import { Badge, Empty, Group, Row } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { useRefreshOn } from '../state/feed.ts';
import {
  moodOfThread,
  standingOfThread,
  type Thread,
  titleOfThread,
} from '../text/thread-words.ts';
import { formatAgo } from '../text/time-words.ts';

const rowsMax = 100;

export function ThreadsScreen() {
  const { client, clock, feed } = useApp();
  const threads = useMemo(
    () => createResource(clock, () => client.threads.list({ query: { limit: rowsMax } })),
    [client, clock],
  );
  useRefreshOn(feed, ['thread_', 'turn_', 'ask_', 'seen'], threads);
  return (
    <Screen title="Threads">
      <ResourceView resource={threads}>
        {({ items }) =>
          items.length === 0 ? (
            <NoThreads />
          ) : (
            <ThreadGroups threads={items} nowMs={clock.wallMs()} />
          )
        }
      </ResourceView>
    </Screen>
  );
}

function NoThreads() {
  return (
    <Empty title="No conversation yet">
      <p>
        Start an agent on this machine or on a host of yours, close the app, and come back later.
      </p>
      <Link class="button main" href="/new">
        Start your first thread
      </Link>
    </Empty>
  );
}

function ThreadGroups({
  threads,
  nowMs,
}: {
  readonly threads: readonly Thread[];
  readonly nowMs: number;
}) {
  const groups = [
    { title: 'Working', items: threads.filter(({ status }) => status === 'running') },
    { title: 'Waiting', items: threads.filter(({ status }) => status === 'queued') },
    { title: 'Recent', items: threads.filter(({ status }) => status === 'ready') },
  ];
  return (
    <>
      {groups.map(
        ({ title, items }) =>
          items.length > 0 && (
            <Group key={title} title={title} count={items.length}>
              {items.map((thread) => (
                <Row
                  key={thread.id}
                  to={`/threads/${thread.id}`}
                  what={titleOfThread(thread)}
                  facts={`${thread.agent} · ${formatAgo(Date.parse(thread.updated_at), nowMs)}`}
                  after={<Badge mood={moodOfThread(thread)}>{standingOfThread(thread)}</Badge>}
                />
              ))}
            </Group>
          ),
      )}
    </>
  );
}

/*
 * All conversations: what needs you, what works, what waits, and what is done; to be searched and sieved.
 */
import { lazy, Suspense } from 'preact/compat';
import { useMemo, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import { useNow } from '../data/use-now.ts';
import { Examples } from '../parts/examples.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Empty, Group } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { useKept } from '../parts/use-kept.ts';
import type { Thread } from '../text/thread-words.ts';
import { addToNew } from '../thread/new/new-draft.ts';
import { FilterBar } from '../thread/threads/filter-bar.tsx';
import { groupThreads, noFilter, type ThreadFilter } from '../thread/threads/group-threads.ts';
import { ThreadRow } from '../thread/threads/thread-row.tsx';
import { UnbegunThreads } from '../thread/threads/unbegun-threads.tsx';
import { type ThreadsFacts, useThreads } from '../thread/threads/use-threads.ts';

const ThreadMenu = lazy(async () => (await import('../thread/threads/thread-menu.tsx')).ThreadMenu);

/* How often the time that something takes is told again. */
const tickMs = 10_000;

export function ThreadsScreen() {
  const [isArchive, setIsArchive] = useKept('archive', false);
  const [filter, setFilter] = useKept('filter', noFilter);
  const { all, more } = useThreads(isArchive);
  const turnOver = (): void => {
    setIsArchive(!isArchive);
    setFilter(noFilter);
  };
  return (
    <Screen
      title={isArchive ? 'Archived threads' : 'Threads'}
      actions={
        <button type="button" class="button plain small" onClick={turnOver}>
          {isArchive ? 'Back to threads' : 'Archived'}
        </button>
      }
    >
      {!isArchive && <UnbegunThreads />}
      <ResourceView resource={all}>
        {(facts) =>
          facts.threads.length === 0 ? (
            <NoThreads isArchive={isArchive} />
          ) : (
            <>
              <ThreadList
                facts={facts}
                filter={filter}
                onFilter={setFilter}
                onChange={() => void all.refresh()}
                asOfMs={all.asOfMs.value}
              />
              <ShowMore shown={facts.threads.length} total={facts.total} onMore={more} />
            </>
          )
        }
      </ResourceView>
    </Screen>
  );
}

function NoThreads({ isArchive }: { readonly isArchive: boolean }) {
  const { storage } = useApp();
  const [, navigate] = useLocation();
  if (isArchive) return <Empty title="Nothing is archived" />;
  const begin = async (text: string): Promise<void> => {
    await addToNew(storage, text);
    navigate('/new');
  };
  return (
    <Empty title="Start your first thread">
      <p>
        An agent works on this machine or on a host of yours. Close the app, and come back later.
      </p>
      <Examples onPick={(text) => void begin(text)} />
      <Link class="button main" href="/new">
        Write your own
      </Link>
    </Empty>
  );
}

function ThreadList({
  facts,
  filter,
  onFilter,
  asOfMs,
  onChange,
}: {
  readonly facts: ThreadsFacts;
  readonly filter: ThreadFilter;
  readonly onFilter: (filter: ThreadFilter) => void;
  readonly asOfMs: number | undefined;
  readonly onChange: () => void;
}) {
  const { connection } = useApp();
  const nowMs = useNow(tickMs);
  const [chosen, setChosen] = useState<Thread | undefined>(undefined);
  const asking = useMemo(() => new Set(facts.asking), [facts]);
  const hosts = new Map(facts.hosts.map(({ id, label }) => [id, label]));
  const { kind } = connection.state.value.link;
  const isSure = kind === 'live' || kind === 'dropped';
  const groups = groupThreads({ threads: facts.threads, asking }, filter);
  return (
    <>
      <FilterBar facts={facts} filter={filter} onFilter={onFilter} />
      {groups.length === 0 && <Empty title="No thread is like that" />}
      {groups.map(({ name, threads }) => (
        <Group key={name} title={name} count={threads.length}>
          {threads.map((thread) => (
            <ThreadRow
              key={thread.id}
              thread={thread}
              host={
                thread.connection_id === null
                  ? 'this machine'
                  : (hosts.get(thread.connection_id) ?? 'a host that is gone')
              }
              queued={facts.queued.find(({ thread_id: id }) => id === thread.id)}
              working={facts.working.find((one) => one.thread.id === thread.id)}
              isAsking={asking.has(thread.id)}
              nowMs={nowMs}
              asOfMs={isSure ? undefined : asOfMs}
              onMenu={() => setChosen(thread)}
            />
          ))}
        </Group>
      ))}
      {chosen !== undefined && (
        <Suspense fallback={null}>
          <ThreadMenu thread={chosen} onChanged={onChange} onClose={() => setChosen(undefined)} />
        </Suspense>
      )}
    </>
  );
}

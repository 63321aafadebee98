/*
 * Everything that was started: what waits for a decision, what runs, and how the rest ended.
 */
import { useMemo } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import { joinResources } from '../data/join-resources.ts';
import { usePages } from '../data/use-pages.ts';
import { useNow } from '../data/use-now.ts';
import { useRefreshWhile } from '../data/use-refresh-while.ts';
import { useResource } from '../data/use-resource.ts';
import { AsideView } from '../parts/aside-view.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Empty, Group } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { useKept } from '../parts/use-kept.ts';
import { RunRow } from '../runs/run-row.tsx';
import type { Run } from '../text/run-words.ts';

/* What runs is shown whole. */
const livingMax = 100;
const redrawMs = 5_000;
/* How often what the runs say is looked at. */
const linesMs = 10_000;

type ListedRun = Run & { readonly id: string };

export function RunsScreen() {
  const { client } = useApp();
  const [host, setHost] = useKept('host', '');
  const [words, setWords] = useKept('words', '');
  const at = host === '' ? {} : { host };
  const living = useResource(
    `runs/living/${host}`,
    () => client.runs.list({ query: { ...at, state: 'running', last: 'true', limit: livingMax } }),
    ['run_', 'approval_'],
  );
  useRefreshWhile(living, (living.value.value?.items ?? []).some(isLiving), linesMs);
  const ended = usePages(
    `runs/ended/${host}`,
    async (page) => {
      const { items, total } = await client.runs.list({
        query: { ...at, ...page, state: 'finished', last: 'true' },
      });
      return { items: items.map((run): ListedRun => ({ ...run, id: run.runId })), total };
    },
    ['run_ended', 'approval_closed'],
  );
  const both = useMemo(() => joinResources(living, ended.resource), [living, ended.resource]);
  const isFiltered = host !== '' || words !== '';
  return (
    <Screen
      title="Runs"
      actions={
        <Link class="button small" href="/runs/new">
          Start one
        </Link>
      }
    >
      <Filters host={host} words={words} onHost={setHost} onWords={setWords} />
      <ResourceView resource={both}>
        {([{ items }, page]) => (
          <RunGroups
            living={items.filter((run) => !hasEnded(run, page) && isAbout(run, words))}
            ended={page.items.filter((run) => isAbout(run, words))}
            isFiltered={isFiltered}
            onChanged={() => both.refresh()}
          >
            <ShowMore shown={page.items.length} total={page.total} onMore={ended.more} />
          </RunGroups>
        )}
      </ResourceView>
    </Screen>
  );
}

function isLiving({ state }: Run): boolean {
  return state !== 'held';
}

/* The two lists are two reads; what has ended in between is in both. */
function hasEnded({ runId }: Run, { items }: { readonly items: readonly Run[] }): boolean {
  return items.some((run) => run.runId === runId);
}

function isAbout({ command, name, cwd, runId, host }: Run, words: string): boolean {
  const wanted = words.trim().toLowerCase();
  if (wanted === '') return true;
  return [command, name ?? '', cwd, runId, host].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}

function Filters({
  host,
  words,
  onHost,
  onWords,
}: {
  readonly host: string;
  readonly words: string;
  readonly onHost: (host: string) => void;
  readonly onWords: (words: string) => void;
}) {
  const { client } = useApp();
  const hosts = useResource('hosts/names', () =>
    client.connections.list({ query: { limit: 100 } }),
  );
  return (
    <div class="filters" role="search">
      <input
        type="search"
        aria-label="Search in the runs that are shown"
        placeholder="Search"
        autocapitalize="off"
        autocomplete="off"
        spellcheck={false}
        value={words}
        onInput={({ currentTarget }) => onWords(currentTarget.value)}
      />
      <div>
        <AsideView resource={hosts}>
          {({ items }) =>
            items.length > 0 && (
              <select
                aria-label="Host"
                value={host}
                onChange={({ currentTarget }) => onHost(currentTarget.value)}
              >
                <option value="">Everywhere</option>
                <option value="local">This machine</option>
                {items.map(({ id, label }) => (
                  <option key={id} value={id}>
                    {label}
                  </option>
                ))}
              </select>
            )
          }
        </AsideView>
      </div>
    </div>
  );
}

interface RunGroupsProps {
  readonly living: readonly Run[];
  readonly ended: readonly Run[];
  readonly isFiltered: boolean;
  readonly onChanged: () => Promise<void>;
  readonly children: preact.ComponentChildren;
}

function RunGroups({ living, ended, isFiltered, onChanged, children }: RunGroupsProps) {
  const nowMs = useNow(redrawMs);
  const held = living.filter(({ state }) => state === 'held');
  const groups = [
    { title: 'Wait for you', runs: held },
    { title: 'Running', runs: living.filter(({ state }) => state !== 'held') },
    { title: 'Ended', runs: ended },
  ];
  return (
    <>
      {living.length === 0 && (
        <Empty title={isFiltered ? 'None of these runs' : 'Nothing is running'}>
          {!isFiltered && (
            <>
              <p>What you or your agents start shows up here.</p>
              <Link class="button main" href="/runs/new">
                Start a command
              </Link>
            </>
          )}
        </Empty>
      )}
      {groups.map(
        ({ title, runs }) =>
          runs.length > 0 && (
            <Group key={title} title={title} count={runs.length}>
              {runs.map((run) => (
                <RunRow key={run.runId} run={run} nowMs={nowMs} onChanged={onChanged} />
              ))}
            </Group>
          ),
      )}
      {children}
    </>
  );
}

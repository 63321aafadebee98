/*
 * Everything that the list of conversations shows, read at once and kept on the device.
 */
import { useApp } from '../../app-context.ts';
import type { Problem } from '../../data/problem.ts';
import { useRefreshWhile } from '../../data/use-refresh-while.ts';
import { useResource } from '../../data/use-resource.ts';
import { useVisit } from '../../parts/use-kept.ts';
import { threadsKey } from './keep-in-threads.ts';

const pageRows = 100;
/* What one screen shows at most; more are found by their names in no list. */
const rowsMax = 500;
/* How often what the agents do now is looked at. */
const stepsMs = 15_000;

export function useThreads(isArchive: boolean) {
  const { client } = useApp();
  const visit = useVisit();
  const wanted = (): number => Number(visit.get('rows') ?? pageRows);
  const chosen = isArchive ? ({ status: 'archived' } as const) : {};
  const list = async () => {
    const found = new Map(
      isArchive ? [] : (await client.threads.list({ query: pinnedOnes })).items.map(byId),
    );
    for (let offset = 0; ; offset += pageRows) {
      const query = { limit: pageRows, offset, ...chosen };
      const page = await client.threads.list({ query });
      for (const thread of page.items) found.set(thread.id, thread);
      const isAll = page.items.length < pageRows || offset + pageRows >= wanted();
      if (isAll) return { threads: [...found.values()], total: page.total };
    }
  };
  const all = useResource(isArchive ? `archived-${threadsKey}` : threadsKey, async () => {
    const [threads, queue, asks, inbox, hosts] = await Promise.all([
      list(),
      client.queue.list({ query: {} }),
      client.asks.list(),
      client.inbox.get({ query: { limit: pageRows } }),
      client.connections.list({ query: { limit: pageRows } }),
    ]);
    return {
      ...threads,
      queued: queue.items,
      asking: asks.items.map(({ thread_id: id }) => id),
      working: inbox.working,
      hosts: hosts.items.map(({ id, label }) => ({ id, label })),
    };
  }, ['thread_', 'turn_', 'ask_', 'seen']);
  useRefreshWhile(all, (all.value.value?.working.length ?? 0) > 0, stepsMs);
  return {
    all,
    more: async (): Promise<Problem | undefined> => {
      visit.set('rows', Math.min(rowsMax, wanted() + pageRows));
      await all.refresh();
      return all.problem.value;
    },
  };
}

const pinnedOnes = { pinned: 'true', limit: pageRows } as const;

function byId<Thread extends { readonly id: string }>(thread: Thread) {
  return [thread.id, thread] as const;
}

export type ThreadsFacts = NonNullable<ReturnType<typeof useThreads>['all']['value']['value']>;

/*
 * The names of hosts by their ids, asked for only when a row has one.
 */
import { useEffect, useMemo } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { createResource } from '../data/resource.ts';
import type { Inbox } from './inbox-needs.tsx';
import { namesHosts } from './inbox-words.ts';

export function useHostNames(inbox: Inbox): (id: string | null) => string {
  const app = useApp();
  const { client } = app;
  const hosts = useMemo(
    () =>
      createResource(app, () => client.connections.list({ query: { limit: 100 } }), {
        key: 'host-names-1',
      }),
    [app, client],
  );
  const needsNames = namesHosts(inbox);
  useEffect(() => {
    if (needsNames) void hosts.refresh();
  }, [hosts, needsNames]);
  const known = hosts.value.value?.items ?? [];
  return (id) => {
    if (id === null || id === 'local') return 'this machine';
    return known.find((host) => host.id === id)?.label ?? id;
  };
}

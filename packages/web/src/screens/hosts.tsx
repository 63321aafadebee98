/*
 * The machines that commands and agents can be started on: how each stands, and how many sessions are open there.
 */
import { Link } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import { usePages } from '../data/use-pages.ts';
import { useResource } from '../data/use-resource.ts';
import { addressOfHost, type Host, standingOfHost } from '../hosts/host-words.ts';
import { AsideView } from '../parts/aside-view.tsx';
import { Icon } from '../parts/icon.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Badge, Empty, Row } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { formatAgo } from '../text/time-words.ts';

export function HostsScreen() {
  const { client } = useApp();
  const { resource, more } = usePages('hosts', (query) => client.connections.list({ query }), [
    'connection_',
    'session_',
  ]);
  const sessions = useResource('sessions/active', () =>
    client.sessions.list({ query: { status: 'active', limit: 100 } }),
  );
  return (
    <Screen
      title="Hosts"
      back={{ to: '/more', name: 'More' }}
      foot={
        <div class="foot">
          <Link class="button main" href="/hosts/new">
            Add a host
          </Link>
        </div>
      }
    >
      <ResourceView resource={resource}>
        {({ items, total }) => (
          <>
            <HostRows hosts={items} sessions={sessions.value.value?.items ?? []} />
            <ShowMore shown={items.length} total={total} onMore={more} />
          </>
        )}
      </ResourceView>
      <AsideView resource={sessions} />
    </Screen>
  );
}

interface SessionOnHost {
  readonly connection: { readonly id: string } | null;
}

function HostRows({
  hosts,
  sessions,
}: {
  readonly hosts: readonly Host[];
  readonly sessions: readonly SessionOnHost[];
}) {
  const { gatewayTime } = useApp();
  if (hosts.length === 0) {
    return (
      <Empty title="This machine only">
        <p>Add a host in about a minute. All it needs is SSH; nothing is installed there.</p>
      </Empty>
    );
  }
  const nowMs = gatewayTime.nowMs();
  return (
    <ul class="rows">
      {hosts.map((host) => {
        const { words, mood } = standingOfHost(host);
        const open = sessions.filter(({ connection }) => connection?.id === host.id).length;
        return (
          <Row
            key={host.id}
            to={`/hosts/${host.id}`}
            before={<Icon name="host" />}
            what={host.label}
            facts={[
              addressOfHost(host),
              ...(open === 0 ? [] : [`${open} open`]),
              ...(host.last_test === null
                ? []
                : [`tested ${formatAgo(Date.parse(host.last_test.at), nowMs)}`]),
            ].join(' · ')}
            after={<Badge mood={mood}>{words}</Badge>}
          />
        );
      })}
    </ul>
  );
}

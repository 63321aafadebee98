/*
 * The audit log: who did what, from where, newest first.
 */
import { useMemo } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { createResource } from '../data/resource.ts';
import { ResourceView } from '../parts/resource-view.tsx';
import { Empty, Row } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { formatAgo } from '../text/time-words.ts';

export function AuditScreen() {
  const { client, clock } = useApp();
  const entries = useMemo(
    () => createResource(clock, () => client.audit.list({ query: { limit: 100 } })),
    [client, clock],
  );
  return (
    <Screen title="Audit" back={{ to: '/more', name: 'More' }}>
      <ResourceView resource={entries}>
        {({ entries: items }) =>
          items.length === 0 ? (
            <Empty title="Nothing yet" />
          ) : (
            <ul class="rows">
              {items.map((entry) => (
                <Row
                  key={entry.seq}
                  what={entry.action}
                  facts={`${entry.actor} · ${formatAgo(Date.parse(entry.at), clock.wallMs())}`}
                />
              ))}
            </ul>
          )
        }
      </ResourceView>
    </Screen>
  );
}

/*
 * Where this account is signed in, and signing those devices out.
 */
import { useMemo } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { createResource } from '../data/resource.ts';
import { ResourceView } from '../parts/resource-view.tsx';
import { Badge, Row } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { formatAgo } from '../text/time-words.ts';

export function DevicesScreen() {
  const { client, clock } = useApp();
  const devices = useMemo(
    () => createResource(clock, () => client.auth.devices({ query: { limit: 100 } })),
    [client, clock],
  );
  const revoke = async (id: string): Promise<void> => {
    await client.auth.revokeDevice({ params: { id } });
    await devices.refresh();
  };
  return (
    <Screen title="Devices" back={{ to: '/more', name: 'More' }}>
      <ResourceView resource={devices}>
        {({ items }) => (
          <ul class="rows">
            {items.map(({ id, device, is_current: isCurrent, last_used_at: usedAt }) => (
              <Row
                key={id}
                what={device}
                facts={`used ${formatAgo(Date.parse(usedAt), clock.wallMs())}`}
                after={
                  isCurrent ? (
                    <Badge mood="good">this one</Badge>
                  ) : (
                    <button type="button" class="button danger" onClick={() => void revoke(id)}>
                      Sign out
                    </button>
                  )
                }
              />
            ))}
          </ul>
        )}
      </ResourceView>
    </Screen>
  );
}

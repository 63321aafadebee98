/*
 * Sessions: what is open on hosts and on this machine, and how the earlier ones ended.
 */
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { usePages } from '../data/use-pages.ts';
import { useRefreshWhile } from '../data/use-refresh-while.ts';
import { useResource } from '../data/use-resource.ts';
import { SessionRow } from '../hosts/session-row.tsx';
import { useSessionNames } from '../hosts/use-session-names.ts';
import { Confirm } from '../parts/confirm.tsx';
import { ChoiceField } from '../parts/fields.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Empty } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { useKept } from '../parts/use-kept.ts';

const choices = [
  ['active', 'Open'],
  ['pending', 'Starting'],
  ['closed', 'Closed'],
  ['error', 'Failed'],
] as const;

type Status = (typeof choices)[number][0];

export function SessionsScreen() {
  const { client, membership } = useApp();
  const [status, setStatus] = useKept<Status>('status', 'active');
  const { resource, more } = usePages(
    `sessions/list/${status}`,
    (query) => client.sessions.list({ query: { ...query, status } }),
    ['session_'],
  );
  const nameOf = useSessionNames();
  const standing = membership.standing.value;
  const isOwner = standing.kind === 'in' && standing.account.kind === 'owner';
  return (
    <Screen title="Sessions" back={{ to: '/more', name: 'More' }}>
      <ChoiceField
        name="status"
        says="Show"
        options={choices}
        value={status}
        onPick={(picked) => setStatus(choices.find(([each]) => each === picked)?.[0] ?? 'active')}
      />
      <ResourceView resource={resource}>
        {({ items, total }) => (
          <>
            {items.length === 0 ? (
              <Empty title={status === 'active' ? 'No session is open' : 'None'}>
                <p>
                  A session opens by itself when an agent works, or a command is started on a host.
                </p>
              </Empty>
            ) : (
              <ul class="rows after-field">
                {items.map((session) => (
                  <SessionRow
                    key={session.id}
                    session={session}
                    name={nameOf(session)}
                    onChanged={() => resource.refresh()}
                  />
                ))}
              </ul>
            )}
            <ShowMore shown={items.length} total={total} onMore={more} />
          </>
        )}
      </ResourceView>
      {isOwner && <CloseAll onClosed={() => resource.refresh()} />}
    </Screen>
  );
}

/* Nothing tells of the sessions of others. */
const countedMs = 3_000;

/* The list has one's own; those of others are only counted. What there is none of is not offered to be closed. */
function CloseAll({ onClosed }: { readonly onClosed: () => Promise<void> }) {
  const { client } = useApp();
  const [isAsked, setIsAsked] = useState(false);
  const health = useResource('sessions/everywhere', () => client.system.health(), ['session_']);
  useEffect(() => void health.refresh(), [health]);
  const known = health.value.value;
  // Null: the gateway cannot tell.
  const isAnyOpen = known !== undefined && known.active_sessions !== 0;
  useRefreshWhile(health, isAnyOpen, countedMs);
  return (
    <>
      {isAnyOpen && (
        <div class="buttons apart">
          <button type="button" class="button danger" onClick={() => setIsAsked(true)}>
            Close every session of this gateway
          </button>
        </div>
      )}
      {isAsked && (
        <Confirm
          title="Close every session?"
          does="Close them all"
          keeps="Keep them open"
          typed="close"
          onDo={async () => {
            await client.sessions.closeAll();
            await Promise.all([onClosed(), health.refresh()]);
          }}
          onClose={() => setIsAsked(false)}
        >
          <p>Those of everyone who uses this gateway. What runs in them is ended.</p>
        </Confirm>
      )}
    </>
  );
}

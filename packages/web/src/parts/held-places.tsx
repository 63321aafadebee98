/*
 * A limit is reached: what holds the places, and the button that gives one back on each. Only what lives counts, so a row leaves as soon as
 * what it stands for has ended.
 */
import { useApp } from '../app-context.ts';
import type { HeldKind } from '../data/limits.ts';
import { useResource } from '../data/use-resource.ts';
import { SessionRow } from '../hosts/session-row.tsx';
import { useSessionNames } from '../hosts/use-session-names.ts';
import { RunRow } from '../runs/run-row.tsx';
import { HeldTurns } from './held-turns.tsx';
import { ResourceView } from './resource-view.tsx';
import { Group } from './rows.tsx';
import { Sheet } from './sheet.tsx';

/* More than a person decides between; the oldest of more than these are not shown. */
const rowsMax = 100;

export function HeldPlaces({ kind }: { readonly kind: HeldKind }) {
  if (kind === 'sessions') return <HeldSessions />;
  return kind === 'runs' ? <HeldRuns /> : <HeldTurns />;
}

export function HeldPlacesSheet({
  kind,
  onClose,
}: {
  readonly kind: HeldKind;
  readonly onClose: () => void;
}) {
  return (
    <Sheet title="What holds the places" onClose={onClose}>
      <HeldPlaces kind={kind} />
    </Sheet>
  );
}

function HeldSessions() {
  const { client } = useApp();
  const sessions = useResource('held/sessions', async () => {
    const [active, pending] = await Promise.all([
      client.sessions.list({ query: { status: 'active', limit: rowsMax } }),
      client.sessions.list({ query: { status: 'pending', limit: rowsMax } }),
    ]);
    const open = [...active.items, ...pending.items];
    // What was not used for the longest comes first.
    return open.toSorted((one, other) => one.last_seen_at.localeCompare(other.last_seen_at));
  }, ['session_', 'turn_']);
  const nameOf = useSessionNames();
  return (
    <ResourceView resource={sessions}>
      {(items) => (
        <Group title="Open sessions" count={items.length}>
          {items.map((session) => (
            <SessionRow
              key={session.id}
              session={session}
              name={nameOf(session)}
              onChanged={() => sessions.refresh()}
            />
          ))}
        </Group>
      )}
    </ResourceView>
  );
}

function HeldRuns() {
  const { client, gatewayTime } = useApp();
  const runs = useResource(
    'held/runs',
    () => client.runs.list({ query: { state: 'alive', limit: rowsMax } }),
    ['run_'],
  );
  return (
    <ResourceView resource={runs}>
      {({ items, total }) => (
        <Group title="Living commands" count={total}>
          {items.map((run) => (
            <RunRow
              key={run.runId}
              run={run}
              nowMs={gatewayTime.nowMs()}
              onChanged={() => runs.refresh()}
            />
          ))}
        </Group>
      )}
    </ResourceView>
  );
}

/*
 * The open sessions on a host, and opening one.
 */
import { useApp } from '../app-context.ts';
import { useAct } from '../data/use-act.ts';
import { useResource } from '../data/use-resource.ts';
import { ActNote } from '../parts/act-note.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { SessionRow } from './session-row.tsx';
import { useSessionNames } from './use-session-names.ts';

export function HostSessions({ hostId, isTested }: { hostId: string; isTested: boolean }) {
  const { client, random } = useApp();
  const act = useAct();
  const sessions = useResource(
    'sessions/active',
    () => client.sessions.list({ query: { status: 'active', limit: 100 } }),
    ['session_'],
  );
  const nameOf = useSessionNames();
  const open = async (): Promise<void> => {
    const body = { connection_id: hostId };
    await client.sessions.create({ body }, { idempotencyKey: random.id() });
    await sessions.refresh();
  };
  return (
    <section class="group">
      <h2>Sessions</h2>
      <ResourceView resource={sessions}>
        {({ items }) => {
          const here = items.filter(({ connection }) => connection?.id === hostId);
          if (here.length === 0) return <p class="quiet">None is open. One opens by itself.</p>;
          return (
            <ul class="rows">
              {here.map((session) => (
                <SessionRow
                  key={session.id}
                  session={session}
                  name={nameOf(session)}
                  onChanged={() => sessions.refresh()}
                />
              ))}
            </ul>
          );
        }}
      </ResourceView>
      <ActNote act={act} />
      {isTested && (
        <div class="buttons">
          <button
            type="button"
            class="button small"
            disabled={act.isOff}
            onClick={() => void act.run(open)}
          >
            {act.isBusy ? 'Opening …' : 'Open a session'}
          </button>
        </div>
      )}
    </section>
  );
}

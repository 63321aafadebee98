/*
 * The way to everything that is not looked at every day, in groups, with counts where they cost little.
 */
import { useApp } from '../app-context.ts';
import { loadParts, type Parts } from '../data/load-parts.ts';
import type { Resource } from '../data/resource.ts';
import { useAct } from '../data/use-act.ts';
import { useResource } from '../data/use-resource.ts';
import { ActNote } from '../parts/act-note.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Group, Row } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { signOutUnlessLost } from '../shell/sign-out.ts';
import { lazy, Suspense } from 'preact/compat';
import { useEffect, useState } from 'preact/hooks';

const ConfirmSignOut = lazy(
  async () => (await import('../parts/confirm-sign-out.tsx')).ConfirmSignOut,
);

type Counted = 'hosts' | 'keys' | 'sessions' | 'queue' | 'devices' | 'tokens' | 'rules';

type Counts = Parts<Counted, number>;

interface Way {
  readonly to: `/${string}`;
  readonly name: string;
  readonly says: string;
  readonly icon: IconName;
  readonly count?: Counted;
}

const groups: readonly { readonly title: string; readonly ways: readonly Way[] }[] = [
  {
    title: 'Machines',
    ways: [
      { to: '/hosts', name: 'Hosts', says: 'Machines over SSH', icon: 'host', count: 'hosts' },
      { to: '/keys', name: 'Keys', says: 'What hosts let us in with', icon: 'key', count: 'keys' },
      {
        to: '/sessions',
        name: 'Sessions',
        says: 'Agents and hosts that are open',
        icon: 'runs',
        count: 'sessions',
      },
    ],
  },
  {
    title: 'Agents',
    ways: [
      { to: '/agents', name: 'Agents', says: 'Which are installed', icon: 'threads' },
      { to: '/queue', name: 'Queue', says: 'What waits its turn', icon: 'inbox', count: 'queue' },
      {
        to: '/rules',
        name: 'Approval rules',
        says: 'What runs without asking you',
        icon: 'check',
        count: 'rules',
      },
    ],
  },
  {
    title: 'You',
    ways: [
      {
        to: '/devices',
        name: 'Devices',
        says: 'Where you are signed in',
        icon: 'device',
        count: 'devices',
      },
      {
        to: '/notifications',
        name: 'Notifications',
        says: 'On this device, with a test',
        icon: 'inbox',
      },
      { to: '/tokens', name: 'Tokens', says: 'For programs', icon: 'key', count: 'tokens' },
      { to: '/settings', name: 'Settings', says: 'This device and your account', icon: 'settings' },
    ],
  },
  {
    title: 'Gateway',
    ways: [
      { to: '/audit', name: 'Audit', says: 'Who did what, and when', icon: 'audit' },
      { to: '/system', name: 'System', says: 'Version, disk, database', icon: 'host' },
    ],
  },
];

export function MoreScreen() {
  const app = useApp();
  const { membership } = app;
  const act = useAct();
  const [loss, setLoss] = useState<string | undefined>(undefined);
  const counts = useCounts();
  const standing = membership.standing.value;
  return (
    <Screen title="More">
      {groups.map(({ title, ways }) => (
        <Group key={title} title={title}>
          {ways.map(({ to, name, says, icon, count }) => (
            <Row
              key={to}
              to={to}
              before={<Icon name={icon} />}
              what={name}
              facts={says}
              after={
                <span class="way-after">
                  {count !== undefined && (counts?.[count] ?? 0) > 0 && (
                    <span class="quiet">{counts?.[count]}</span>
                  )}
                  <Icon name="forward" />
                </span>
              }
            />
          ))}
        </Group>
      ))}
      <p class="quiet signed-in-as">
        Signed in as {standing.kind === 'in' ? standing.account.display_name : 'nobody'}
      </p>
      <ActNote act={act} />
      <button
        type="button"
        class="button"
        disabled={act.isOff}
        onClick={() => void act.run(async () => setLoss(await signOutUnlessLost(app)))}
      >
        Sign out here
      </button>
      <Suspense fallback={null}>
        {loss !== undefined && <ConfirmSignOut loss={loss} onClose={() => setLoss(undefined)} />}
      </Suspense>
    </Screen>
  );
}

/* Each is one row of one list; what was never read has no count, and the way stays open. */
function useCounts(): Counts | undefined {
  const { client } = useApp();
  const query = { limit: 1 };
  const lists: Readonly<Record<Counted, () => Promise<number>>> = {
    hosts: () => totalOf(client.connections.list({ query })),
    keys: () => totalOf(client.keys.list({ query })),
    sessions: () => totalOf(client.sessions.list({ query: { ...query, status: 'active' } })),
    queue: () => totalOf(client.queue.list({ query })),
    devices: () => totalOf(client.auth.devices({ query })),
    tokens: () => totalOf(client.tokens.list({ query })),
    rules: () => totalOf(client.approvalRules.list({ query })),
  };
  const counts: Resource<Counts> = useResource(
    'more/counts',
    () => loadParts(lists, () => counts.value.peek()),
    ['session_', 'turn_', 'device_', 'connection_'],
  );
  useEffect(() => void counts.refresh(), [counts]);
  return counts.value.value;
}

async function totalOf(list: Promise<{ readonly total: number }>): Promise<number> {
  return (await list).total;
}

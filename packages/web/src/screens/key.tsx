/*
 * One key: how it gets onto a host, where it is used, and replacing or revoking it.
 */
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import { useResource } from '../data/use-resource.ts';
import { Fingerprint } from '../hosts/fingerprint.tsx';
import { addressOfHost, type Host, type Key, standingOfHost } from '../hosts/host-words.ts';
import { InstallKey } from '../hosts/install-key.tsx';
import type { Session } from '../hosts/session-row.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { FactList } from '../parts/fact-list.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Badge, Empty, Group, Row } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { formatAgo } from '../text/time-words.ts';

interface KeyUse {
  readonly key: Key | undefined;
  /* That log in with it, or will when it is proven. */
  readonly hosts: readonly Host[];
  readonly sessions: readonly Session[];
}

export function KeyScreen({ id }: { readonly id: string }) {
  const { client } = useApp();
  const known = useResource(`keys/${id}`, async (): Promise<KeyUse> => {
    const [keys, hosts, open] = await Promise.all([
      client.keys.list({ query: { limit: 100 } }),
      client.connections.list({ query: { limit: 100 } }),
      client.sessions.list({ query: { status: 'active', limit: 100 } }),
    ]);
    const used = hosts.items.filter(
      ({ keypair_id: now, next_keypair_id: next }) => now === id || next === id,
    );
    const usedIds = new Set(used.map((host) => host.id));
    const sessions = open.items.filter(({ connection }) => usedIds.has(connection?.id ?? ''));
    return { key: keys.items.find((key) => key.id === id), hosts: used, sessions };
  }, ['connection_', 'session_']);
  return (
    <Screen
      title={known.value.value?.key?.label ?? 'Key'}
      kind="Key"
      back={{ to: '/keys', name: 'Keys' }}
    >
      <ResourceView resource={known}>
        {({ key, hosts, sessions }) =>
          key === undefined ? (
            <Empty title="This key is no longer in use">
              <p>It was revoked, or every host has its successor.</p>
            </Empty>
          ) : (
            <KeyView key_={key} hosts={hosts} sessions={sessions} />
          )
        }
      </ResourceView>
    </Screen>
  );
}

interface KeyViewProps {
  readonly key_: Key;
  readonly hosts: readonly Host[];
  readonly sessions: readonly Session[];
}

function KeyView({ key_: key, hosts, sessions }: KeyViewProps) {
  const { gatewayTime } = useApp();
  return (
    <>
      <section class="panel">
        <h2>Let it into a host</h2>
        <p>Run this on the host, as the user that you want to log in as.</p>
        <InstallKey keyId={key.id} />
      </section>
      <section class="panel">
        <FactList
          facts={[
            ['Fingerprint', <Fingerprint key="print" text={key.fingerprint} />],
            ['Made', formatAgo(Date.parse(key.created_at), gatewayTime.nowMs())],
            [
              'State',
              key.status === 'active'
                ? 'in use'
                : 'being replaced: hosts that have not proven the new key still use it',
            ],
          ]}
        />
      </section>
      {hosts.length > 0 && (
        <Group title="Hosts with this key" count={hosts.length}>
          {hosts.map((host) => (
            <HostWithKey key={host.id} host={host} keyId={key.id} />
          ))}
        </Group>
      )}
      <KeyChanges key_={key} hosts={hosts} sessions={sessions} />
    </>
  );
}

function HostWithKey({ host, keyId }: { readonly host: Host; readonly keyId: string }) {
  const { words, mood } = standingOfHost(host);
  const isToProve = host.next_keypair_id === keyId;
  return (
    <Row
      to={`/hosts/${host.id}`}
      what={host.label}
      facts={isToProve ? 'install this key there, then test' : addressOfHost(host)}
      after={<Badge mood={isToProve ? 'waiting' : mood}>{isToProve ? 'to test' : words}</Badge>}
    />
  );
}

function KeyChanges({ key_: key, hosts, sessions }: KeyViewProps) {
  const { client } = useApp();
  const [, navigate] = useLocation();
  const [asks, setAsks] = useState<'rotate' | 'revoke' | undefined>(undefined);
  const close = (): void => setAsks(undefined);
  const params = { id: key.id };
  return (
    <div class="buttons apart">
      {key.status === 'active' && (
        <button type="button" class="button" onClick={() => setAsks('rotate')}>
          Replace it
        </button>
      )}
      <button type="button" class="button danger" onClick={() => setAsks('revoke')}>
        Revoke it
      </button>
      {asks === 'rotate' && (
        <Confirm
          title={`Replace ${key.label}?`}
          does="Make the new key"
          onDo={async () => {
            const { key: made } = await client.keys.rotate({ params });
            navigate(`/keys/${made.id}`);
          }}
          onClose={close}
        >
          <p>
            A new key is made.{' '}
            {hosts.length === 0
              ? 'No host uses the old one.'
              : `Install it on ${listOf(hosts)} and test; until then the old one is used there.`}
          </p>
        </Confirm>
      )}
      {asks === 'revoke' && (
        <Confirm
          title={`Revoke ${key.label}?`}
          does={sessions.length === 0 ? 'Revoke it' : `Revoke it and close ${sessions.length}`}
          onDo={async () => {
            const query = { force: sessions.length === 0 ? 'false' : 'true' } as const;
            await client.keys.remove({ params, query });
            navigate('/keys', { replace: true });
          }}
          onClose={close}
        >
          <p>
            {hosts.length === 0
              ? 'No host uses it.'
              : `${listOf(hosts)} can no longer be reached until you give them another key.`}
          </p>
          {sessions.length > 0 && (
            <>
              <p>These sessions are closed, and what runs in them is ended:</p>
              <ul class="rows">
                {sessions.map(({ id, connection, agent }) => (
                  <Row
                    key={id}
                    what={connection?.label ?? 'This machine'}
                    facts={agent ?? 'commands'}
                  />
                ))}
              </ul>
            </>
          )}
        </Confirm>
      )}
    </div>
  );
}

function listOf(hosts: readonly Host[]): string {
  return new Intl.ListFormat('en').format(hosts.map(({ label }) => label));
}

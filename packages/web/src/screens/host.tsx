/*
 * One host: the way from its address to a trusted connection, and what is set for it.
 */
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import { useResource } from '../data/use-resource.ts';
import { Fingerprint } from '../hosts/fingerprint.tsx';
import { HostForm } from '../hosts/host-form.tsx';
import { HostPolicy } from '../hosts/host-policy.tsx';
import { HostSessions } from '../hosts/host-sessions.tsx';
import { addressOfHost, type Host, type Key, standingOfHost } from '../hosts/host-words.ts';
import { InstallKey } from '../hosts/install-key.tsx';
import { TestHost } from '../hosts/test-host.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { FactList } from '../parts/fact-list.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Badge } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { formatAgo } from '../text/time-words.ts';

export function HostScreen({ id }: { readonly id: string }) {
  const { client } = useApp();
  const known = useResource(`hosts/${id}`, async () => {
    const [{ connection }, keys] = await Promise.all([
      client.connections.get({ params: { id } }),
      client.keys.list({ query: { limit: 100 } }),
    ]);
    return { host: connection, keys: keys.items };
  }, ['connection_', 'session_']);
  const host = known.value.value?.host;
  const standing = host && standingOfHost(host);
  return (
    <Screen
      title={host?.label ?? 'Host'}
      kind="Host"
      back={{ to: '/hosts', name: 'Hosts' }}
      actions={standing && <Badge mood={standing.mood}>{standing.words}</Badge>}
    >
      <ResourceView resource={known}>
        {({ host: shown, keys }) => (
          <HostView host={shown} keys={keys} onChanged={() => known.refresh()} />
        )}
      </ResourceView>
    </Screen>
  );
}

interface HostViewProps {
  readonly host: Host;
  readonly keys: readonly Key[];
  readonly onChanged: () => Promise<void>;
}

function HostView({ host, keys, onChanged }: HostViewProps) {
  const nextKey = host.next_keypair_id;
  const result = host.last_test?.result;
  // Of a host that shows another key, nothing else matters first.
  const isLetIn = (result === 'ok' && nextKey === null) || result === 'host_key_changed';
  return (
    <>
      {!isLetIn && (
        <section class="panel">
          <h2>{nextKey === null ? 'Let it in' : 'Install the new key'}</h2>
          <p>
            Run this on <strong>{host.host}</strong>, as the user <strong>{host.username}</strong>,
            and then test the connection.
            {nextKey !== null && ' Until the test has proven the new key, the old one is used.'}
          </p>
          <InstallKey keyId={nextKey ?? host.keypair_id} />
        </section>
      )}
      <section class="panel bare">
        <TestHost host={host} onTested={() => void onChanged()} />
      </section>
      <HostFacts host={host} keys={keys} />
      <HostPolicy host={host} onChanged={onChanged} />
      <HostSessions hostId={host.id} isTested={host.last_test?.result === 'ok'} />
      <HostChanges host={host} keys={keys} onChanged={onChanged} />
    </>
  );
}

function HostFacts({ host, keys }: Pick<HostViewProps, 'host' | 'keys'>) {
  const { gatewayTime } = useApp();
  const test = host.last_test;
  const nameOf = (keyId: string): string =>
    keys.find(({ id }) => id === keyId)?.label ?? 'a key that is gone';
  return (
    <section class="panel">
      <FactList
        facts={[
          ['Address', <code key="address">{addressOfHost(host)}</code>],
          [
            'Key',
            <Link key="key" class="link" href={`/keys/${host.keypair_id}`}>
              {nameOf(host.keypair_id)}
            </Link>,
          ],
          [
            'Its new key, not proven yet',
            host.next_keypair_id === null ? undefined : (
              <Link key="next" class="link" href={`/keys/${host.next_keypair_id}`}>
                {nameOf(host.next_keypair_id)}
              </Link>
            ),
          ],
          [
            'Trusted host key',
            host.host_key_fingerprint === null ? (
              'none yet'
            ) : (
              <Fingerprint key="pin" text={host.host_key_fingerprint} />
            ),
          ],
          [
            'Last test',
            test === null
              ? 'never'
              : `${standingOfHost(host).words}${
                  test.latency_ms === null ? '' : `, ${test.latency_ms} ms`
                }, ${formatAgo(Date.parse(test.at), gatewayTime.nowMs())}`,
          ],
        ]}
      />
    </section>
  );
}

function HostChanges({ host, keys, onChanged }: HostViewProps) {
  const { client } = useApp();
  const [, navigate] = useLocation();
  const [asks, setAsks] = useState<'edit' | 'remove' | undefined>(undefined);
  const close = (): void => setAsks(undefined);
  const params = { id: host.id };
  return (
    <div class="buttons apart">
      <button type="button" class="button" onClick={() => setAsks('edit')}>
        Change it
      </button>
      <button type="button" class="button danger" onClick={() => setAsks('remove')}>
        Remove it
      </button>
      {asks === 'edit' && (
        <Sheet title={`Change ${host.label}`} onClose={close}>
          <HostForm
            host={host}
            keys={keys}
            does="Save"
            onDone={async ({ keyId, ...address }) => {
              const key = keyId === undefined ? {} : { keypair_id: keyId };
              await client.connections.update({ params, body: { ...address, ...key } });
              await onChanged();
              close();
            }}
          />
        </Sheet>
      )}
      {asks === 'remove' && (
        <Confirm
          title={`Remove ${host.label}?`}
          does="Remove it"
          onDo={async () => {
            await client.connections.remove({ params });
            navigate('/hosts', { replace: true });
          }}
          onClose={close}
        >
          <p>
            Its address, its trusted key and its policy are forgotten here. Nothing is changed on
            the host; our key stays in its list until you take it out there.
          </p>
        </Confirm>
      )}
    </div>
  );
}

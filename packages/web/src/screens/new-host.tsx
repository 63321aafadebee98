/*
 * A new host: its address, its user and its key. The rest of the way (install, test, trust) is on its own screen.
 */
import { useLocation } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import { useResource } from '../data/use-resource.ts';
import { type HostFields, HostForm } from '../hosts/host-form.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Screen } from '../parts/screen.tsx';

export function NewHostScreen() {
  const { client } = useApp();
  const [, navigate] = useLocation();
  const keys = useResource('keys', () => client.keys.list({ query: { limit: 100 } }));
  const add = async ({ keyId, ...address }: HostFields): Promise<void> => {
    const key = keyId ?? (await makeKey(address.label));
    const { connection } = await client.connections.create({
      body: { ...address, keypair_id: key },
    });
    navigate(`/hosts/${connection.id}`);
  };
  /* A second attempt after a refused one does not make a second key. */
  const makeKey = async (label: string): Promise<string> => {
    const { items } = await client.keys.list({ query: { limit: 100 } });
    const name = `key of ${label}`.slice(0, 64);
    const made = items.find((each) => each.label === name && each.status === 'active');
    return made?.id ?? (await client.keys.create({ body: { label: name } })).key.id;
  };
  return (
    <Screen title="Add a host" back={{ to: '/hosts', name: 'Hosts' }}>
      <ResourceView resource={keys}>
        {({ items }) => <HostForm keys={items} does="Add it" onDone={add} />}
      </ResourceView>
    </Screen>
  );
}

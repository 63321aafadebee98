/*
 * What can be found besides threads, runs and hosts: what waits for a decision, keys, agents and devices. Each list is read by itself and kept on
 * the device, so one that cannot be read is as it was last.
 */
import { useEffect } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { nameOfAsk } from '../approvals/answer-words.ts';
import { commandText } from '../approvals/shown-command.ts';
import { useResource } from '../data/use-resource.ts';
import type { Entry } from './rank-entries.ts';

interface Found {
  readonly id: string;
  readonly name: string;
  readonly to: string;
  /* What it is, where its list has more than one kind. */
  readonly kind?: string;
}

const query = { limit: 100 };

export interface MoreThings {
  readonly waiting: readonly Entry[];
  readonly others: readonly Entry[];
}

export function useMoreThings(): MoreThings {
  const { client } = useApp();
  const approvals = useEntries('approval', async () => {
    const { items } = await client.approvals.list({ query: { ...query, state: 'pending' } });
    return items.map((one) => ({
      id: one.id,
      name: commandText(one),
      to: `/approvals/${one.id}`,
    }));
  });
  const asks = useEntries('ask', async () => {
    const { items } = await client.asks.list();
    return items.map((ask) => ({
      id: ask.id,
      name: ask.title,
      to: `/asks/${ask.id}`,
      kind: nameOfAsk(ask).toLowerCase(),
    }));
  });
  const keys = useEntries('key', async () => {
    const { items } = await client.keys.list({ query });
    return items.map(({ id, label: name }) => ({ id, name, to: `/keys/${id}` }));
  });
  // These two have no screen of their own.
  const agents = useEntries('agent', async () => {
    const { items } = await client.agents.list();
    return items.map(({ name: id, title: name }) => ({ id, name, to: '/agents' }));
  });
  const devices = useEntries('device', async () => {
    const { items } = await client.auth.devices({ query });
    return items.map(({ id, device: name }) => ({ id, name, to: '/devices' }));
  });
  return { waiting: [...approvals, ...asks], others: [...keys, ...agents, ...devices] };
}

function useEntries(kind: string, load: () => Promise<readonly Found[]>): readonly Entry[] {
  const list = useResource(`palette-${kind}s`, load);
  useEffect(() => void list.refresh(), [list]);
  return (list.value.value ?? []).map(({ id, name, to, kind: its = kind }) => ({
    key: `${kind}-${id}`,
    name,
    kind: its,
    act: { to },
  }));
}

/*
 * What a new thread can be begun with: agents, hosts, and directories on them.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { useMemo, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app-context.ts';
import { createResource } from '../../data/resource.ts';

export type Host = AnswerOf<Api['connections']['list']>['items'][number];
export type Agent = AnswerOf<Api['agents']['list']>['items'][number];

export interface Surroundings {
  /* All that the gateway knows. */
  readonly agents: readonly Agent[];
  readonly usual: string | null;
  readonly hosts: readonly Host[];
}

export function useSurroundings() {
  const { client, clock, storage } = useApp();
  return useMemo(
    () =>
      createResource(
        { clock, storage },
        async (): Promise<Surroundings> => {
          const [agents, hosts] = await Promise.all([
            client.agents.list(),
            client.connections.list({ query: { limit: 100 } }),
          ]);
          return {
            agents: agents.items,
            usual: agents.default_agent,
            hosts: hosts.items,
          };
        },
        { key: 'new-thread-3' },
      ),
    [client, clock, storage],
  );
}

/*
 * On this machine those that are installed. What is installed on a host is not known here: there all can be asked for, and first those that the
 * settings have a command for.
 */
export function agentsAt(host: string, agents: readonly Agent[]): readonly Agent[] {
  if (host === '') return agents.filter(({ is_installed: isInstalled }) => isInstalled);
  return agents.toSorted((one, other) => rankOnHost(one) - rankOnHost(other));
}

function rankOnHost({ source }: Agent): number {
  return source === 'settings' ? 0 : 1;
}

/* On a host, '' for this machine: recent ones first, then what begins as what is typed. */
export function useDirectories(host: string) {
  const { client } = useApp();
  const [found, setFound] = useState<readonly string[]>([]);
  const last = useRef('');
  const type = (text: string): void => {
    const prefix = text.trim();
    last.current = `${host} ${prefix}`;
    const asked = last.current;
    // Only what begins at a root can be completed; the rest sieves what is there.
    if (prefix !== '' && !/^[/~]/.test(prefix)) return;
    const query = { prefix, ...(host === '' ? {} : { connection_id: host }) };
    client.directories
      .suggest({ query })
      .then(({ recent, items }) => {
        if (last.current !== asked) return;
        const all = [...recent, ...items].map(({ directory }) => directory);
        setFound([...new Set(all)].slice(0, directoriesMax));
      })
      // A directory can be typed without any help.
      .catch(() => undefined);
  };
  return { found, type };
}

const directoriesMax = 60;

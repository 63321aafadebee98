/*
 * What sessions are called by people: the thread whose agent each is for. Undefined: it is for none, or not known yet.
 */
import { useEffect } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { useResource } from '../data/use-resource.ts';
import type { Session } from './session-row.tsx';

/* Older threads than these have none of the open sessions, as a rule. */
const threadsMax = 100;

export function useSessionNames(): (session: Session) => string | undefined {
  const { client } = useApp();
  const titles = useResource('sessions/titles', async () => {
    const { items } = await client.threads.list({ query: { limit: threadsMax, archived: 'true' } });
    return items.map(({ id, title }) => [id, title] as const);
  }, ['turn_']);
  useEffect(() => void titles.refresh(), [titles]);
  const known = titles.value.value ?? [];
  return ({ agent_session_id: threadId }) => known.find(([id]) => id === threadId)?.[1];
}

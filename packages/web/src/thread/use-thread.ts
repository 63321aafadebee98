/*
 * A thread as its screen needs it: the conversation, how the thread stands, what its agent asks; and saying and stopping.
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { type Problem, problemOf } from '../data/problem.ts';
import { createResource } from '../data/resource.ts';
import { openConversation } from '../state/conversation.ts';

export function useThread(id: string) {
  const { client, clock, random } = useApp();
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const conversation = useMemo(() => {
    const beforePaint = (show: () => void): void => void requestAnimationFrame(show);
    return openConversation({ client, clock, random, beforePaint }, id);
  }, [client, clock, random, id]);
  useEffect(() => () => conversation.close(), [conversation]);
  const facts = useMemo(
    () =>
      createResource(clock, async () => {
        const [{ thread, turns }, asks] = await Promise.all([
          client.threads.get({ params: { id } }),
          client.asks.list(),
        ]);
        return { thread, turns, asks: asks.items.filter(({ thread_id: of }) => of === id) };
      }),
    [client, clock, id],
  );
  // Every event may have changed how the thread stands; the look itself is one at a time.
  const lastSeq = conversation.lastSeq.value;
  useEffect(() => void facts.refresh(), [facts, lastSeq]);
  /* True: it was taken. */
  const tried = async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      setProblem(undefined);
      return true;
    } catch (error) {
      setProblem(problemOf(error));
      return false;
    }
  };
  const known = facts.value.value;
  const open = known?.turns.find(({ status }) => status === 'running' || status === 'queued');
  return {
    conversation,
    known,
    open,
    problem: problem ?? conversation.problem.value,
    refresh: () => void facts.refresh(),
    say: (text: string) => {
      const body = { text, client_message_id: random.id() };
      return tried(() => client.threads.prompt({ params: { id }, body }));
    },
    stop: () => tried(async () => open && client.turns.cancel({ params: { id: open.id } })),
  };
}

/*
 * A conversation: what was said and done, what waits for an answer, and the place to say more.
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { type Problem, problemOf } from '../data/problem.ts';
import { createResource } from '../data/resource.ts';
import { AskCard } from '../parts/ask-card.tsx';
import { ProblemView } from '../parts/problem-view.tsx';
import { Badge } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { openConversation } from '../state/conversation.ts';
import { moodOfThread, type Thread } from '../text/thread-words.ts';
import { BlockView } from '../thread/block-view.tsx';
import { Composer } from '../thread/composer.tsx';
import { FollowedScroller } from '../thread/followed-scroller.tsx';

export function ThreadScreen({ id }: { readonly id: string }) {
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
  const known = facts.value.value;
  const running = known?.turns.find(({ status }) => status === 'running' || status === 'queued');
  const say = async (text: string): Promise<boolean> => {
    try {
      await client.threads.prompt({
        params: { id },
        body: { text, client_message_id: random.id() },
      });
      setProblem(undefined);
      return true;
    } catch (error) {
      setProblem(problemOf(error));
      return false;
    }
  };
  const stop = async (): Promise<void> => {
    if (running === undefined) return;
    await client.turns
      .cancel({ params: { id: running.id } })
      .catch((error: unknown) => setProblem(problemOf(error)));
  };
  const blocks = conversation.blocks.value;
  const shownProblem = problem ?? conversation.problem.value;
  return (
    <Screen
      title={titleOf(known?.thread)}
      back={{ to: '/threads', name: 'Threads' }}
      actions={known && <Badge mood={moodOfThread(known.thread)}>{known.thread.status}</Badge>}
      scrolls="itself"
      foot={<Composer isBusy={running !== undefined} onSay={say} onStop={stop} />}
    >
      <FollowedScroller
        newest={lastSeq}
        hasOlder={conversation.hasOlder.value}
        onOlder={() => void conversation.loadOlder()}
      >
        {blocks === undefined && shownProblem === undefined && <p role="status">One moment …</p>}
        {blocks?.map((block) => (
          <BlockView key={`${block.kind}-${block.first_seq}`} block={block} />
        ))}
        {known?.asks.map((ask) => (
          <AskCard key={ask.id} ask={ask} onDone={() => void facts.refresh()} />
        ))}
        {running !== undefined && (
          <p class="working" role="status">
            <span class="spinner" /> {running.status}
          </p>
        )}
        {shownProblem !== undefined && <ProblemView problem={shownProblem} />}
      </FollowedScroller>
    </Screen>
  );
}

function titleOf(thread: Thread | undefined): string {
  if (thread === undefined) return 'Thread';
  return thread.title === '' ? `${thread.agent} in ${thread.directory}` : thread.title;
}

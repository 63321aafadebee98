/*
 * A conversation: what was said and done, what waits for an answer, and the place to say more.
 */
import { AskCard } from '../parts/ask-card.tsx';
import { ProblemView } from '../parts/problem-view.tsx';
import { Badge } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { moodOfThread, standingOfThread, titleOfThread } from '../text/thread-words.ts';
import { BlockView } from '../thread/block-view.tsx';
import { Composer } from '../thread/composer.tsx';
import { FollowedScroller } from '../thread/followed-scroller.tsx';
import { useThread } from '../thread/use-thread.ts';

export function ThreadScreen({ id }: { readonly id: string }) {
  const { conversation, known, open, problem, refresh, say, stop } = useThread(id);
  const { blocks, hasOlder, lastSeq, loadOlder } = conversation;
  const thread = known?.thread;
  return (
    <Screen
      title={thread === undefined ? 'Thread' : titleOfThread(thread)}
      back={{ to: '/threads', name: 'Threads' }}
      actions={thread && <Badge mood={moodOfThread(thread)}>{standingOfThread(thread)}</Badge>}
      scrolls="itself"
      foot={<Composer isBusy={open !== undefined} onSay={say} onStop={stop} />}
    >
      <FollowedScroller
        newest={lastSeq.value}
        hasOlder={hasOlder.value}
        onOlder={() => void loadOlder()}
      >
        {blocks.value === undefined && problem === undefined && <p role="status">One moment …</p>}
        {blocks.value?.map((block) => (
          <BlockView key={`${block.kind}-${block.first_seq}`} block={block} />
        ))}
        {known?.asks.map((ask) => (
          <AskCard key={ask.id} ask={ask} onDone={refresh} />
        ))}
        {open !== undefined && (
          <p class="working" role="status">
            <span class="spinner" /> {open.status === 'queued' ? 'Waits its turn' : 'Working'}
          </p>
        )}
        {problem !== undefined && <ProblemView problem={problem} />}
      </FollowedScroller>
    </Screen>
  );
}

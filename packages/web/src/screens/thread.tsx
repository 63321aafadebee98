/*
 * A conversation: what happened since you last looked, what was said and done, what waits for an answer, and the place to say more.
 */
import type { RefObject } from 'preact';
import { lazy, Suspense } from 'preact/compat';
import { useMemo, useRef, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import type { Problem } from '../data/problem.ts';
import { ProblemView } from '../parts/problem-view.tsx';
import { Screen } from '../parts/screen.tsx';
import { formatClock } from '../text/time-words.ts';
import { titleOfThread } from '../text/thread-words.ts';
import { noFilesOnHosts } from '../thread/attach/use-attachments.ts';
import { Composer, type ComposerHand } from '../thread/composer/composer.tsx';
import { WaitingBar } from '../thread/composer/waiting-bar.tsx';
import { lazyExtra } from '../thread/lazy-extra.ts';
import { LongList } from '../thread/list/long-list.tsx';
import { PinnedPlan } from '../thread/pinned-plan.tsx';
import { RowView } from '../thread/rows/row-view.tsx';
import type { Row } from '../thread/rows/row.ts';
import { saidIn } from '../thread/rows/said-text.ts';
import { SpokenTail } from '../thread/spoken-tail.tsx';
import { type Layer, ThreadContext, type ThreadParts } from '../thread/thread-context.ts';
import { ThreadFacts, ThreadHead } from '../thread/thread-head.tsx';
import { useSeen } from '../thread/use-seen.ts';
import { useThread } from '../thread/use-thread.ts';

/* Only those who are asked, come back, or want all of something long, need them. */
const AskCard = lazy(async () => (await import('../parts/ask-card.tsx')).AskCard);
const ReceiptCard = lazyExtra(
  async () => (await import('../thread/receipt/receipt-card.tsx')).ReceiptCard,
);
const FirstWords = lazyExtra(async () => (await import('../thread/first-words.tsx')).FirstWords);
const ThreadLayer = lazy(async () => (await import('../thread/thread-layer.tsx')).ThreadLayer);

const drawRow = (row: Row) => <RowView row={row} />;

export function ThreadScreen({ id }: { readonly id: string }) {
  const thread = useThread(id);
  const { conversation, rows, known, running, seenSeq } = thread;
  const [isAtEnd, setIsAtEnd] = useState(true);
  const [goal, setGoal] = useState<{ readonly key: string } | undefined>(undefined);
  const { composer, suggest, parts, layer } = useParts(id, thread);
  const lastSeq = conversation.lastSeq.value;
  const since = useSeen({ threadId: id, seenSeq, lastSeq, isAtEnd });
  const jump = async (seq: number): Promise<void> => {
    await conversation.loadBackTo(seq);
    const row = rows.value.findLast(({ firstSeq }) => firstSeq <= seq) ?? rows.value[0];
    if (row !== undefined) setGoal({ key: row.key });
  };
  return (
    <ThreadContext.Provider value={parts}>
      <Screen
        title={known === undefined ? 'Thread' : titleOfThread(known.thread)}
        kind="Thread"
        back={{ to: '/threads', name: 'Threads' }}
        actions={known && <ThreadHead thread={known.thread} onChanged={thread.refresh} />}
        scrolls="itself"
        foot={<ThreadFoot id={id} thread={thread} composer={composer} />}
      >
        <div class="thread-body">
          {known && <ThreadFacts thread={known.thread} link={conversation.link.value} />}
          <PinnedPlan rows={rows.value} />
          <Suspense fallback={null}>
            {since !== undefined && known !== undefined && (
              <ReceiptCard
                key={since}
                threadId={id}
                since={since}
                state={stateOf(known)}
                newestSeq={lastSeq}
                saidCount={thread.saidCount}
                onJump={(seq) => void jump(seq)}
              />
            )}
          </Suspense>
          <Suspense fallback={null}>{layer}</Suspense>
          <LongList
            name="Conversation"
            rows={rows.value}
            draw={drawRow}
            newest={lastSeq}
            hasOlder={conversation.hasOlder.value}
            onOlder={() => void conversation.loadOlder()}
            onFollow={setIsAtEnd}
            goal={goal}
            toEnd={thread.saidCount}
          >
            <ThreadTail thread={thread} onSuggest={suggest} />
          </LongList>
        </div>
        <SpokenTail rows={rows.value} isWorking={running !== undefined} />
      </Screen>
    </ThreadContext.Provider>
  );
}

/* As a receipt tells it. */
function stateOf({ thread, turns, asks }: NonNullable<ReturnType<typeof useThread>['known']>) {
  return {
    status: thread.status,
    running_turn_id: turns.find(({ status }) => status === 'running')?.id ?? null,
    open_asks: asks.filter(({ state }) => state === 'open').length,
    waiting_turns: turns.filter(({ status }) => status === 'queued').length,
  };
}

/* What its rows share, and what they open over the screen. */
function useParts(id: string, thread: ReturnType<typeof useThread>) {
  /* Words are put into the composer, behind what was typed, to be sent by who sees them there. */
  const composer = useRef<ComposerHand>(null);
  const suggest = (text: string): void => void composer.current?.add(text);
  const [layer, setLayer] = useState<Layer | undefined>(undefined);
  const parts = useMemo(
    (): ThreadParts => ({
      threadId: id,
      opened: new Set(),
      shown: new Map(),
      show: setLayer,
      saidIn: (turnId) => saidIn(thread.rows.peek(), turnId),
      writeAgain: suggest,
    }),
    [id],
  );
  return {
    composer,
    suggest,
    parts,
    layer: layer && (
      <ThreadLayer
        layer={layer}
        threadId={id}
        thread={thread}
        composer={composer}
        onClose={() => setLayer(undefined)}
      />
    ),
  };
}

function ThreadTail({
  thread,
  onSuggest,
}: {
  readonly thread: ReturnType<typeof useThread>;
  readonly onSuggest: (text: string) => void;
}) {
  const { conversation, known, running, problem, decided } = thread;
  const isAsking = known?.asks.some(({ state }) => state === 'open') === true;
  const isEmpty = conversation.blocks.value === undefined && problem === undefined;
  return (
    <>
      {isEmpty && (
        <div class="skeleton" role="status">
          <span class="only-read-aloud">Loading</span>
        </div>
      )}
      <Suspense fallback={null}>
        {isUnbegun(thread) && <FirstWords thread={thread} onPick={onSuggest} />}
        {known?.asks.map((ask) => (
          <AskCard key={ask.id} ask={ask} onDone={(outcome) => decided(ask.id, outcome)} />
        ))}
      </Suspense>
      {/* Who asks waits, and does not work. */}
      {running !== undefined && !isAsking && (
        <p class="working">
          <span class="spinner" />
          {running.cancel_asked_at === null ? 'Working' : 'Stopping'}
        </p>
      )}
      {problem !== undefined && <ThreadProblem thread={thread} problem={problem} />}
    </>
  );
}

/* Nothing was said in it, and nothing waits to be. */
function isUnbegun({ known, unsent }: ReturnType<typeof useThread>): boolean {
  const { status, last_seq: lastSeq } = known?.thread ?? { status: 'archived', last_seq: 0 };
  return status === 'ready' && lastSeq === 0 && unsent.length === 0;
}

function ThreadProblem({
  thread: { conversation, asOfMs, retry },
  problem,
}: {
  readonly thread: ReturnType<typeof useThread>;
  readonly problem: Problem;
}) {
  // That the gateway does not answer is said by the strip at the top; here is what that means for this thread.
  if (problem.kind === 'unreachable' && retry !== undefined) {
    const isKept = conversation.blocks.value !== undefined;
    return (
      <p class="quiet as-of" role="status">
        {isKept
          ? asOfMs !== undefined && `As of ${formatClock(asOfMs)}`
          : 'This thread is not kept on this device. It is shown when the gateway answers.'}
      </p>
    );
  }
  return <ProblemView problem={problem} {...(retry && { onRetry: retry })} />;
}

function ThreadFoot({
  id,
  composer,
  thread: { known, running, waiting, unsent, act, say, stop },
}: {
  readonly id: string;
  readonly composer: RefObject<ComposerHand>;
  readonly thread: ReturnType<typeof useThread>;
}) {
  const { client } = useApp();
  const isArchived = known?.thread.status === 'archived';
  return (
    <div class="thread-foot">
      {unsent.length + waiting.length > 0 && (
        <WaitingBar unsent={unsent} waiting={waiting} act={act} />
      )}
      <Composer
        draftKey={`thread-${id}`}
        hand={composer}
        isBusy={running !== undefined || waiting.length > 0}
        closed={
          isArchived ? (
            <>
              <span>This thread is archived.</span>
              <button
                type="button"
                class="button"
                onClick={() => act(() => client.threads.unarchive({ params: { id } }))}
              >
                Unarchive
              </button>
            </>
          ) : undefined
        }
        noFiles={typeof known?.thread.connection_id === 'string' ? noFilesOnHosts : undefined}
        onSay={say}
        onStop={stop}
      />
    </div>
  );
}

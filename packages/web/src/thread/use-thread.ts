/*
 * A thread as its screen needs it: the conversation as rows, how the thread stands, what its agent asks; and saying and stopping.
 */
import { useComputed } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import type { OnDecided } from '../approvals/use-decision.ts';
import { createNextPaint } from '../data/next-paint.ts';
import { type Problem, problemOf } from '../data/problem.ts';
import { createResource } from '../data/resource.ts';
import { hasBecome } from '../outbox/outbox-rows.ts';
import { openConversation } from '../state/conversation.ts';
import { useRefreshOn } from '../state/feed.ts';
import type { Said } from './composer/composer.tsx';
import { createPacedPaints } from './paced-paints.ts';
import { createRowMaker } from './rows/make-rows.ts';
import { createShownAsks } from './shown-asks.ts';
import { keepInThreads } from './threads/keep-in-threads.ts';

/* How it stands, as the gateway says it. */
function useFacts(id: string) {
  const { client, clock, storage, feed } = useApp();
  const shownAsks = useMemo(
    () => createShownAsks((askId) => client.asks.get({ params: { id: askId } })),
    [client, id],
  );
  const facts = useMemo(
    () =>
      createResource(
        { clock, storage },
        async () => {
          const [{ thread, turns }, asks] = await Promise.all([
            client.threads.get({ params: { id } }),
            client.asks.list(),
          ]);
          const open = asks.items.filter(({ thread_id: of }) => of === id);
          const running = turns.find(({ status }) => status === 'running');
          void keepInThreads(storage, thread);
          return { thread, turns, asks: await shownAsks.next(open, running?.id) };
        },
        { key: `thread-1-${id}` },
      ),
    [client, clock, storage, id],
  );
  // Also while the conversation itself cannot be followed.
  useRefreshOn(feed, ['turn_', 'ask_', 'thread_'], facts);
  return { facts, shownAsks };
}

/* `tried` is true: it was taken. Else there is a problem until the next one. */
function useTried() {
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
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
  return { problem, tried };
}

export function useThread(id: string) {
  const { client, clock, random, storage, outbox, connection } = useApp();
  const { problem, tried } = useTried();
  const [saidCount, setSaidCount] = useState(0);
  const conversation = useMemo(() => {
    const beforePaint = createPacedPaints(clock, createNextPaint(clock, globalThis));
    const { renewals } = connection;
    return openConversation({ client, clock, random, storage, renewals, beforePaint }, id);
  }, [client, clock, random, storage, connection, id]);
  useEffect(() => () => conversation.close(), [conversation]);
  const { facts, shownAsks } = useFacts(id);
  const turnSeq = conversation.turnSeq.value;
  useEffect(() => void facts.refresh(), [facts, turnSeq]);
  const makeRows = useMemo(() => createRowMaker(), [id]);
  const rows = useComputed(() =>
    makeRows({
      blocks: conversation.blocks.value ?? [],
      hasOlder: conversation.hasOlder.value,
      gaps: conversation.gaps.value,
      ...facts.value.value,
    }),
  );
  const known = facts.value.value;
  const running = known?.turns.find(({ status }) => status === 'running');
  const waiting = known?.turns.filter(({ status }) => status === 'queued') ?? [];
  const written = useMemo(() => outbox.rowsOf(id), [outbox, id]).value;
  // What the gateway has taken is shown as the gateway has it.
  const unsent = written.filter((row) => !known?.turns.some((turn) => hasBecome(row, turn)));
  useEffect(() => {
    const ids = known?.turns.map(({ id: turnId }) => turnId) ?? [];
    if (written.some(({ state }) => 'id' in state && ids.includes(state.id)))
      void outbox.shown(ids);
  }, [outbox, known, written]);
  const failed = known === undefined ? facts.problem.value : undefined;
  return {
    conversation,
    rows,
    known,
    /* Never the one that is kept on the device: the thread was read on since it was written, here or elsewhere. */
    seenSeq: facts.isKept.value ? undefined : known?.thread.seen_seq,
    running,
    waiting,
    unsent,
    problem: problem ?? conversation.problem.value ?? failed,
    /* When the gateway last said how it stands. */
    asOfMs: facts.asOfMs.value,
    refresh: () => void facts.refresh(),
    decided: (askId: string, outcome: Parameters<OnDecided>[0]) => {
      // Where somebody else was faster, its card stays and says by whom.
      if (outcome === 'answered') shownAsks.decidedHere(askId);
      void facts.refresh();
    },
    /* Of what is read. What could not be said or done is the person's to do again. */
    retry:
      problem === undefined
        ? () => {
            conversation.retry();
            void facts.refresh();
          }
        : undefined,
    saidCount,
    say: async (said: Said) => {
      const isKept = await tried(() => outbox.say({ threadId: id, ...said }));
      if (isKept) setSaidCount(saidCount + 1);
      return isKept;
    },
    stop: () =>
      tried(async () => {
        const open = running ?? waiting[0];
        if (open !== undefined) await outbox.cancelTurn(open.id);
      }),
    act: (work: () => Promise<unknown>) => void tried(work).then(() => facts.refresh()),
  };
}

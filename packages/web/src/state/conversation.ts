/*
 * One thread as it is shown: its newest page, older ones when they are asked for, and everything that comes.
 *
 * Pages and live events are joined by the same pure function (joinBlocks), so it does not matter where the one ends and the other
 * begins. Events are shown once a frame: a fast agent does not make a paint for every word.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Clock, Random } from '@clawdfather/kit';
import { type Block, joinBlocks, mergeBlocks } from '@clawdfather/protocol/history';
import { type Client, followThread, type LinkState, type ThreadEvent } from '@clawdfather/sdk';
import { type Problem, problemOf } from '../data/problem.ts';

export interface Conversation {
  /* Undefined: the first page is not here yet. */
  readonly blocks: ReadonlySignal<readonly Block[] | undefined>;
  readonly hasOlder: ReadonlySignal<boolean>;
  readonly problem: ReadonlySignal<Problem | undefined>;
  readonly link: ReadonlySignal<LinkState['kind']>;
  /* The number of its newest event that is shown. */
  readonly lastSeq: ReadonlySignal<number>;
  readonly loadOlder: () => Promise<void>;
  close(): void;
}

export interface ConversationDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /* Calls back before the next paint. */
  readonly beforePaint: (show: () => void) => void;
}

export function openConversation(deps: ConversationDeps, threadId: string): Conversation {
  const { client } = deps;
  const blocks = signal<readonly Block[] | undefined>(undefined);
  const hasOlder = signal(false);
  const problem = signal<Problem | undefined>(undefined);
  const link = signal<LinkState['kind']>('connecting');
  const lastSeq = signal(0);
  const ending = new AbortController();
  let firstSeq: number | undefined;
  let loading: Promise<void> | undefined;

  const load = async (before: number | undefined): Promise<number> => {
    const page = await client.history.page({
      params: { id: threadId },
      query: before === undefined ? {} : { before },
    });
    blocks.value = mergeBlocks(page.blocks, blocks.value ?? []);
    hasOlder.value = page.has_more;
    firstSeq = page.first_seq ?? firstSeq;
    return page.newest_seq;
  };
  const follow = async (): Promise<void> => {
    const after = await load(undefined);
    lastSeq.value = after;
    const show = batchByFrame(deps, (events) => {
      blocks.value = joinBlocks(blocks.value ?? [], events);
      lastSeq.value = Math.max(lastSeq.value, events.at(-1)?.seq ?? 0);
    });
    const onLink = ({ kind }: LinkState): void => {
      link.value = kind;
    };
    const followed = followThread(
      { client, threadId, after },
      { ...deps, signal: ending.signal, onLink },
    );
    for await (const event of followed) show(event);
  };
  follow().catch((error: unknown) => {
    if (!ending.signal.aborted) problem.value = problemOf(error);
  });
  return {
    blocks,
    hasOlder,
    problem,
    link,
    lastSeq,
    loadOlder: () => {
      loading ??= load(firstSeq)
        .then(() => undefined)
        .catch((error: unknown) => {
          problem.value = problemOf(error);
        })
        .finally(() => {
          loading = undefined;
        });
      return loading;
    },
    close: () => ending.abort(),
  };
}

function batchByFrame(
  { beforePaint }: Pick<ConversationDeps, 'beforePaint'>,
  show: (events: readonly ThreadEvent[]) => void,
): (event: ThreadEvent) => void {
  let waiting: ThreadEvent[] = [];
  return (event) => {
    waiting.push(event);
    if (waiting.length > 1) return;
    beforePaint(() => {
      const events = waiting;
      waiting = [];
      show(events);
    });
  };
}

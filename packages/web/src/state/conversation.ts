/*
 * One thread as it is shown: its newest page, older ones when they are asked for, and everything that comes.
 *
 * Pages and live events are joined by the same pure function (joinBlocks), so it does not matter where the one ends and the other
 * begins. Events are shown once a frame: a fast agent does not make a paint for every word. The newest page is kept on the device, and
 * shown at once the next time, until the gateway has answered.
 */
import { batch, type ReadonlySignal, signal } from '@preact/signals';
import type { Clock, Random } from '@clawdfather/kit';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { type Block, joinBlocks, mergeBlocks, type SeqRange } from '@clawdfather/protocol/history';
import {
  type Client,
  followThread,
  type FollowOptions,
  type LinkState,
  type ThreadEvent,
} from '@clawdfather/sdk';
import type { DeviceStorage } from '../storage/device-storage.ts';
import { batchByFrame } from '../data/batch-by-frame.ts';
import { createAttempt, joinProblems, startFollowing } from '../data/following.ts';
import type { Problem } from '../data/problem.ts';

export interface Conversation {
  /* Undefined: the first page is not here yet. */
  readonly blocks: ReadonlySignal<readonly Block[] | undefined>;
  readonly hasOlder: ReadonlySignal<boolean>;
  /* Events that the gateway itself does not have. */
  readonly gaps: ReadonlySignal<readonly SeqRange[]>;
  /* What is not here, and why; it is undefined again as soon as it is here. */
  readonly problem: ReadonlySignal<Problem | undefined>;
  readonly link: ReadonlySignal<LinkState['kind']>;
  /* The number of its newest event that is shown. */
  readonly lastSeq: ReadonlySignal<number>;
  /* The newest event after which the thread may stand differently. */
  readonly turnSeq: ReadonlySignal<number>;
  readonly loadOlder: () => Promise<void>;
  /* Older pages, until the event with this number is here, or as much as a phone should hold. */
  readonly loadBackTo: (seq: number) => Promise<void>;
  /* What failed is tried again now. */
  readonly retry: () => void;
  close(): void;
}

export interface ConversationDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly storage: Pick<DeviceStorage, 'snapshots' | 'writer'>;
  readonly renewals: NonNullable<FollowOptions['renewals']>;
  /* Calls back before the next paint. */
  readonly beforePaint: (show: () => void) => void;
}

/* Some 2 MB of text. */
const backPagesMax = 32;
/* Joined, they are a fraction of it. A fast agent makes fewer between two paints. */
const waitingEventsMax = 500;

/* What an agent says and does changes nothing about how its thread stands. */
const inside: ReadonlySet<string> = new Set(['delta', 'message', 'tool', 'plan', 'usage', 'noise']);

export function openConversation(deps: ConversationDeps, threadId: string): Conversation {
  const shown = nothingShown();
  const ending = new AbortController();
  let firstSeq: number | undefined;

  const load = async (before: number | undefined, signal: AbortSignal): Promise<number> => {
    const query = before === undefined ? {} : { before };
    const { snapshot } = deps.storage.writer();
    const page = await deps.client.history.page({ params: { id: threadId }, query }, { signal });
    const isNewest = before === undefined;
    if (isNewest) void snapshot(keyOf(threadId), page);
    batch(() => {
      shown.blocks.value = isNewest
        ? page.blocks
        : mergeBlocks(page.blocks, shown.blocks.value ?? []);
      shown.hasOlder.value = page.has_more;
      if (isNewest) shown.gaps.value = page.gaps;
      else if (page.gaps.length > 0) shown.gaps.value = [...page.gaps, ...shown.gaps.value];
    });
    firstSeq = page.first_seq ?? firstSeq;
    return page.newest_seq;
  };
  const showAll = (events: readonly ThreadEvent[]): void =>
    batch(() => {
      shown.blocks.value = joinBlocks(shown.blocks.value ?? [], events);
      shown.lastSeq.value = Math.max(shown.lastSeq.value, events.at(-1)?.seq ?? 0);
      const turn = events.findLast(({ type }) => !inside.has(type));
      if (turn !== undefined) shown.turnSeq.value = turn.seq;
    });
  const { beforePaint } = deps;
  const batching = { beforePaint, show: showAll, sizeOf: () => 1, sizeMax: waitingEventsMax };
  const show = batchByFrame<ThreadEvent>(batching);
  const showKept = async (): Promise<void> => {
    const kept = await deps.storage.snapshots.read<Page>(keyOf(threadId));
    if (kept === undefined || shown.blocks.value !== undefined) return;
    shown.blocks.value = kept.value.blocks;
    shown.lastSeq.value = kept.value.newest_seq;
  };
  const follow = async (after: number): Promise<void> => {
    shown.lastSeq.value = after;
    const onLink = ({ kind }: LinkState): void => {
      shown.link.value = kind;
    };
    const options = { ...deps, signal: ending.signal, onLink };
    const thread = { client: deps.client, threadId, after, onReset: () => forget(shown) };
    const followed = followThread(thread, options);
    for await (const event of followed) show(event);
  };
  void showKept();
  const following = startFollowing(
    { ...deps, ending: ending.signal },
    { first: (signal) => load(undefined, signal), follow },
  );
  const older = createAttempt(() => load(firstSeq, ending.signal), ending.signal);
  return {
    ...shown,
    ...joinProblems(following, older),
    loadOlder: older.run,
    loadBackTo: async (seq) => {
      for (let pages = 0; pages < backPagesMax; pages += 1) {
        const before = firstSeq;
        if (before === undefined || before <= seq || !shown.hasOlder.value) return;
        await older.run();
        // It failed: what went wrong is said where it was asked for.
        if (firstSeq === before) return;
      }
    },
    close: () => ending.abort(),
  };
}

/* The gateway has an older state, say after a restore, and tells all of it anew. */
function forget({ blocks, hasOlder, gaps, lastSeq }: ReturnType<typeof nothingShown>): void {
  batch(() => {
    blocks.value = [];
    hasOlder.value = false;
    gaps.value = [];
    lastSeq.value = 0;
  });
}

function nothingShown() {
  return {
    blocks: signal<readonly Block[] | undefined>(undefined),
    hasOlder: signal(false),
    gaps: signal<readonly SeqRange[]>([]),
    link: signal<LinkState['kind']>('connecting'),
    lastSeq: signal(0),
    turnSeq: signal(0),
  };
}

type Page = AnswerOf<Api['history']['page']>;

/* The number grows when the shape of a page changes. */
function keyOf(threadId: string): string {
  return `conversation-1-${threadId}`;
}

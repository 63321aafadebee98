/*
 * All conversations in the order in which they matter: pinned, what needs you, what works, what waits, what failed, what is done. What failed needs
 * you until you have looked at it. Pure.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { Thread } from '../../text/thread-words.ts';
import { standingOfThread, titleOfThread } from '../../text/thread-words.ts';

export type Queued = AnswerOf<Api['queue']['list']>['items'][number];
export type Working = AnswerOf<Api['inbox']['get']>['working'][number];

export interface ThreadFilter {
  readonly words: string;
  /* The id of a connection; '' is this machine. Undefined: everywhere. */
  readonly host: string | undefined;
  readonly agent: string | undefined;
  readonly isUnread: boolean;
}

export const noFilter: ThreadFilter = {
  words: '',
  host: undefined,
  agent: undefined,
  isUnread: false,
};

const groupNames = [
  'Pinned',
  'Needs you',
  'Working',
  'Queued',
  'Failed',
  'Done',
  'Archived',
] as const;

export interface ThreadGroup {
  readonly name: (typeof groupNames)[number];
  readonly threads: readonly Thread[];
}

export interface ThreadFacts {
  readonly threads: readonly Thread[];
  /* Threads whose agent asks something. */
  readonly asking: ReadonlySet<string>;
}

export function groupThreads(
  { threads, asking }: ThreadFacts,
  filter: ThreadFilter,
): readonly ThreadGroup[] {
  const groups = new Map<ThreadGroup['name'], Thread[]>(groupNames.map((name) => [name, []]));
  for (const thread of threads) {
    if (!isMeant(thread, filter)) continue;
    const name = isPinned(thread) ? 'Pinned' : asking.has(thread.id) ? 'Needs you' : nameOf(thread);
    groups.get(name)?.push(thread);
  }
  return [...groups]
    .map(([name, found]) => ({ name, threads: found }))
    .filter(({ threads: found }) => found.length > 0);
}

/* For all devices. An archived one is put away, pinned or not. */
function isPinned({ pinned_at: pinnedAt, status }: Thread): boolean {
  return typeof pinnedAt === 'string' && status !== 'archived';
}

function nameOf(thread: Thread): ThreadGroup['name'] {
  const { status } = thread;
  if (status === 'running') return 'Working';
  if (status === 'queued') return 'Queued';
  if (status === 'archived') return 'Archived';
  if (standingOfThread(thread) !== 'failed') return 'Done';
  return isUnread(thread) ? 'Needs you' : 'Failed';
}

export function isUnread({ last_seq: last, seen_seq: seen }: Thread): boolean {
  return seen < last;
}

function isMeant(
  thread: Thread,
  { words, host, agent, isUnread: wantsUnread }: ThreadFilter,
): boolean {
  if (host !== undefined && (thread.connection_id ?? '') !== host) return false;
  if (agent !== undefined && thread.agent !== agent) return false;
  if (wantsUnread && !isUnread(thread)) return false;
  const all = `${titleOfThread(thread)} ${thread.agent} ${thread.directory}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

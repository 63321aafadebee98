/*
 * The inbox over HTTP: what the store says to be open, with the words of the asks and approvals that it is about.
 */
import type { Clock } from '@clawdfather/kit';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { ThreadHistory } from '@clawdfather/agents';
import type { InboxSnapshot, OpenNotice, Store, Working } from '@clawdfather/store';
import { type Gatekeeper, makeVisible } from '@clawdfather/tools';
import { showAsk } from '../agents/show-ask.ts';
import type { Health } from '../health/check-health.ts';
import type { Caller } from '../http/caller.ts';
import { formatTime } from '../http/format-time.ts';
import type { Handlers } from '../http/handlers.ts';
import { shownCommand } from '../runs/run-audit.ts';

export interface InboxParts {
  readonly store: Store;
  readonly runs: { readonly gatekeeper: Pick<Gatekeeper, 'wholeApproval'> };
  readonly observe: { readonly checkHealth: () => Promise<Health> };
  readonly clock: Clock;
}

type Inbox = AnswerOf<Api['inbox']['get']>;
type Approval = Inbox['approvals'][number];

/* A line in a list. */
const titleCharactersMax = 500;

export function createInboxHandlers(parts: InboxParts): Handlers<Api['inbox']> {
  return { get: ({ caller, query }) => look(parts, caller, query.limit) };
}

async function look(parts: InboxParts, caller: Caller, limit: number): Promise<Inbox> {
  const mine = parts.store.forAccount(caller.accountId);
  const snapshot = await mine.inbox.look(limit);
  const titles = await askTitles(parts, caller, snapshot);
  const { notices, counts } = snapshot;
  const holds = caller.isOwner ? await holdsOf(parts) : [];
  const hostKeys = snapshot.changedHosts.length;
  return {
    seq: snapshot.seq,
    at: formatTime(parts.clock.wallMs()),
    counts: {
      approvals: counts.approval,
      questions: counts.question,
      failed: counts.failed,
      host_keys: hostKeys,
      hosts_lost: counts.host_lost,
      holds: holds.length,
      done: counts.done,
      working: snapshot.workingCount,
      waiting: snapshot.waitingCount,
      needs_you: counts.approval + counts.question + counts.failed + hostKeys,
    },
    approvals: notices.approval.flatMap((notice) => approvalOf(parts, notice, titles)),
    questions: notices.question.map((notice) => ({
      ...noticed(notice),
      id: notice.subjectId,
      title: titles.get(notice.subjectId) ?? '',
    })),
    failed: notices.failed.map((notice) => ({
      ...noticed(notice),
      turn_id: notice.subjectId,
      code: textOf(notice, 'code'),
      cause: textOf(notice, 'cause'),
    })),
    host_keys: snapshot.changedHosts.map(({ id, label, host, testedAtMs }) => ({
      connection_id: id,
      label,
      host,
      since: formatTime(testedAtMs),
    })),
    hosts_lost: notices.host_lost.map((notice) => ({
      ...noticed(notice),
      connection_id: notice.subjectId,
      code: textOf(notice, 'code'),
    })),
    holds,
    done: notices.done.map((notice) => ({ ...noticed(notice), turn_id: notice.subjectId })),
    working: await Promise.all(
      snapshot.working.map(async (working) => ({
        thread: threadOf(working),
        turn_id: working.turnId,
        since: formatTime(working.startedAtMs),
        new_events: Math.max(0, working.newEvents),
        last_step: await lastStepOf(mine.history, working),
      })),
    ),
    went_on: snapshot.wentOn.flatMap((thread) => {
      const { status, seenSeq, lastSeq, updatedAtMs } = thread;
      if (status === 'archived') return [];
      const at = formatTime(updatedAtMs);
      const newEvents = lastSeq - seenSeq;
      return [{ thread: threadOf(thread), status, seen_seq: seenSeq, new_events: newEvents, at }];
    }),
  };
}

/* An update of a call need not name it again; what came before these is old. */
const stepsLookedAt = 8;

async function lastStepOf(
  history: Pick<ThreadHistory, 'lastTools'>,
  { threadId, turnId }: Working,
): Promise<Inbox['working'][number]['last_step']> {
  const tools = await history.lastTools(threadId, { turnId, limit: stepsLookedAt });
  for (const { payload, atMs } of tools) {
    const { title } = payload;
    if (typeof title !== 'string' || title === '') continue;
    return { title: makeVisible(title).slice(0, titleCharactersMax), at: formatTime(atMs) };
  }
  return null;
}

/* One statement for all of them, and only if there are any. */
async function askTitles(
  { store }: InboxParts,
  { accountId }: Caller,
  { notices }: InboxSnapshot,
): Promise<ReadonlyMap<string, string>> {
  const isAsk = ({ threadId }: OpenNotice): boolean => threadId !== undefined;
  if (![...notices.approval, ...notices.question].some(isAsk)) return new Map();
  const asks = await store.forAccount(accountId).threads.openAsks();
  return new Map(asks.map((ask) => [ask.id, showAsk(ask, '').title.slice(0, titleCharactersMax)]));
}

function approvalOf(
  { runs }: InboxParts,
  notice: OpenNotice,
  titles: ReadonlyMap<string, string>,
): Approval[] {
  const { subjectId: id } = notice;
  if (notice.threadId !== undefined) {
    const host = notice.thread?.connectionId ?? null;
    const ask = { kind: 'ask' as const, id, host, requester: null, expires_at: null };
    return [{ ...noticed(notice), ...ask, title: titles.get(id) ?? '' }];
  }
  // Of another machine it is shown there.
  const record = runs.gatekeeper.wholeApproval(id);
  const expiresAtMs = notice.detail['expires_at_ms'];
  return [
    {
      ...noticed(notice),
      kind: 'command',
      id,
      title:
        record === undefined
          ? ''
          : makeVisible(shownCommand(record.action.command)).slice(0, titleCharactersMax),
      host: textOf(notice, 'host'),
      requester: record === undefined ? null : makeVisible(record.asker?.name ?? record.requester),
      expires_at: formatTime(typeof expiresAtMs === 'number' ? expiresAtMs : undefined),
    },
  ];
}

async function holdsOf({ observe }: InboxParts): Promise<Inbox['holds']> {
  const { reasons } = await observe.checkHealth();
  return reasons.filter((reason) => reason.startsWith('disk')).map((reason) => ({ reason }));
}

function noticed({ id, createdAtMs, thread }: OpenNotice) {
  return {
    notice_id: id,
    since: formatTime(createdAtMs),
    thread: thread === undefined ? null : threadOf(thread),
  };
}

function threadOf({ threadId, title, agent, connectionId }: NonNullable<OpenNotice['thread']>) {
  return { id: threadId, title, agent, connection_id: connectionId ?? null };
}

function textOf({ detail }: OpenNotice, name: string): string | null {
  const value = detail[name];
  return typeof value === 'string' ? value : null;
}

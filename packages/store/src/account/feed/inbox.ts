/*
 * What needs the person, in one look: open notices by class with the threads that they are about, hosts whose key is another one, and what
 * is under way. All of it is of the one moment that `seq` names, so a client goes on with the events after it.
 *
 * Reads have no transaction on SQLite, and these rows come from several statements. The number of the newest event tells whether they
 * agree: everything that is shown here is changed together with it.
 *
 * What it costs depends on what is open, never on what was.
 */
import type { ThreadStatus } from '@clawdfather/agents';
import { sql } from 'kysely';
import type { AccountContext, AccountId } from '../../context.ts';
import { type Runner, runnerOf } from '../../engine.ts';
import { looseReadsMax } from '../../limits.ts';
import type { NoticeClass } from '../../schema/feed-tables.ts';
import { toRecord } from '../../schema/record.ts';
import { createSelect } from '../../select.ts';
import { selectHead } from './events.ts';
import type { Notice } from './notices.ts';

export interface ThreadInBrief {
  readonly threadId: string;
  readonly title: string;
  readonly agent: string;
  readonly connectionId?: string | undefined;
}

export type OpenNotice = Notice & { readonly thread: ThreadInBrief | undefined };

export interface ChangedHost {
  readonly id: string;
  readonly label: string;
  readonly host: string;
  readonly testedAtMs?: number | undefined;
}

export type Working = ThreadInBrief & {
  readonly turnId: string;
  readonly startedAtMs?: number | undefined;
  /** How much of it was not looked at. */
  readonly newEvents: number;
};

/** A thread that has gone on since a person looked at it. */
export type WentOn = ThreadInBrief & {
  readonly status: ThreadStatus;
  readonly seenSeq: number;
  readonly lastSeq: number;
  readonly updatedAtMs: number;
};

export interface InboxSnapshot {
  readonly seq: number;
  /** The oldest that wait for an answer; the newest that want to be seen. */
  readonly notices: Readonly<Record<NoticeClass, readonly OpenNotice[]>>;
  readonly counts: Readonly<Record<NoticeClass, number>>;
  readonly changedHosts: readonly ChangedHost[];
  readonly working: readonly Working[];
  readonly wentOn: readonly WentOn[];
  readonly workingCount: number;
  /** Turns. */
  readonly waitingCount: number;
}

export interface Inbox {
  /** With at most so many of each. */
  look(itemsMax: number): Promise<InboxSnapshot>;
}

export function createInbox({ runner, accountId }: AccountContext): Inbox {
  return {
    look: async (itemsMax) => {
      const wanted = { accountId, limit: itemsMax };
      for (let attempt = 0; attempt < looseReadsMax; attempt += 1) {
        const snapshot = await readInbox(runner, wanted);
        const [newest] = await runner.select(selectHead, { accountId });
        if (snapshot.seq === (newest?.seq ?? 0)) return snapshot;
      }
      return await runner.write((db) => readInbox(runnerOf(db, runner.dialect), wanted));
    },
  };
}

interface Wanted {
  readonly accountId: AccountId;
  readonly limit: number;
}

async function readInbox(runner: Runner, wanted: Wanted): Promise<InboxSnapshot> {
  const { accountId } = wanted;
  const [head] = await runner.select(selectHead, { accountId });
  const counted = await runner.select(countOpenNotices, { accountId });
  const countOf = (noticeClass: NoticeClass): number =>
    counted.find((row) => row.class === noticeClass)?.count ?? 0;
  const some = async (noticeClass: NoticeClass): Promise<readonly OpenNotice[]> => {
    if (countOf(noticeClass) === 0) return [];
    const isAsked = noticeClass === 'approval' || noticeClass === 'question';
    const select = isAsked ? selectOldestOpen : selectNewestOpen;
    const rows = await runner.select(select, { ...wanted, noticeClass });
    return rows.map(({ title, agent, connection_id: connectionId, ...row }) => {
      const { threadId } = toRecord(row);
      const isOfThread = threadId !== undefined && title !== null && agent !== null;
      const host = connectionId === null ? {} : { connectionId };
      return {
        ...toRecord(row),
        thread: isOfThread ? { threadId, title, agent, ...host } : undefined,
      };
    });
  };
  const working = await runner.select(selectWorking, wanted);
  const [turns] = await runner.select(countOpenTurns, { accountId });
  return {
    seq: head?.seq ?? 0,
    notices: {
      approval: await some('approval'),
      question: await some('question'),
      done: await some('done'),
      failed: await some('failed'),
      host_lost: await some('host_lost'),
    },
    counts: {
      approval: countOf('approval'),
      question: countOf('question'),
      done: countOf('done'),
      failed: countOf('failed'),
      host_lost: countOf('host_lost'),
    },
    changedHosts: (await runner.select(selectChangedHosts, wanted)).map(toRecord),
    working: working.map(toRecord),
    wentOn: (await runner.select(selectWentOn, { ...wanted, amongMax: wentOnAmongMax })).map(
      toRecord,
    ),
    workingCount: turns?.running ?? 0,
    waitingCount: turns?.waiting ?? 0,
  };
}

export const countOpenNotices = createSelect(
  (db, { accountId }: { readonly accountId: AccountId }) =>
    db
      .selectFrom('notices')
      .select((eb) => ['class', eb.fn.countAll<number>().as('count')])
      .where('account_id', '=', accountId)
      .where('resolved_at_ms', 'is', null)
      .groupBy('class'),
);

const selectOpen = (direction: 'asc' | 'desc') =>
  createSelect(
    (db, { accountId, noticeClass, limit }: Wanted & { readonly noticeClass: NoticeClass }) =>
      db
        .selectFrom('notices')
        .leftJoin('threads', (join) =>
          join
            .onRef('threads.account_id', '=', 'notices.account_id')
            .onRef('threads.id', '=', 'notices.thread_id'),
        )
        .select([
          'notices.id',
          'notices.class',
          'notices.thread_id',
          'notices.thread_seq',
          'notices.subject_id',
          'notices.detail_json',
          'notices.created_at_ms',
          'notices.seen_at_ms',
          'notices.resolved_at_ms',
          'notices.resolution',
          'threads.title',
          'threads.agent',
          'threads.connection_id',
        ])
        .where('notices.account_id', '=', accountId)
        .where('notices.class', '=', noticeClass)
        .where('notices.resolved_at_ms', 'is', null)
        .orderBy('notices.created_at_ms', direction)
        .limit(limit),
  );

export const selectOldestOpen = selectOpen('asc');
export const selectNewestOpen = selectOpen('desc');

export const selectWorking = createSelect((db, { accountId, limit }: Wanted) =>
  db
    .selectFrom('turns')
    .innerJoin('threads', (join) =>
      join
        .onRef('threads.account_id', '=', 'turns.account_id')
        .onRef('threads.id', '=', 'turns.thread_id'),
    )
    .select([
      'turns.thread_id',
      'turns.id as turn_id',
      'turns.started_at_ms',
      'threads.title',
      'threads.agent',
      'threads.connection_id',
      sql<number>`threads.last_seq - threads.seen_seq`.as('new_events'),
    ])
    .where('turns.account_id', '=', accountId)
    .where('turns.status', '=', sql.lit('running'))
    .orderBy('turns.started_at_ms')
    .limit(limit),
);

/** Whether a thread was looked at is in no index, because every change of it would move that: these are looked for among the newest. */
const wentOnAmongMax = 200;

/** What was never looked at has not gone on since. */
export const selectWentOn = createSelect(
  (db, { accountId, limit, amongMax }: Wanted & { readonly amongMax: number }) =>
    db
      .selectFrom((eb) =>
        eb
          .selectFrom('threads')
          .select(['id as thread_id', 'title', 'agent', 'connection_id'])
          .select(['status', 'seen_seq', 'last_seq', 'updated_at_ms'])
          .where('account_id', '=', accountId)
          .where('status', '!=', sql.lit('archived'))
          .orderBy('created_at_ms', 'desc')
          .limit(amongMax)
          .as('newest'),
      )
      .selectAll()
      .where('seen_seq', '>', 0)
      .whereRef('seen_seq', '<', 'last_seq')
      .orderBy('updated_at_ms', 'desc')
      .orderBy('thread_id')
      .limit(limit),
);

export const countOpenTurns = createSelect((db, { accountId }: { readonly accountId: AccountId }) =>
  db
    .selectFrom('turns')
    .select([
      sql<number>`coalesce(sum(CASE WHEN status = 'running' THEN 1 ELSE 0 END), 0)`.as('running'),
      sql<number>`coalesce(sum(CASE WHEN status = 'queued' THEN 1 ELSE 0 END), 0)`.as('waiting'),
    ])
    .where('account_id', '=', accountId)
    .where('ended_at_ms', 'is', null),
);

/** An account has few connections: there is no index for it. */
export const selectChangedHosts = createSelect((db, { accountId, limit }: Wanted) =>
  db
    .selectFrom('ssh_connections')
    .select(['id', 'label', 'host', 'tested_at_ms'])
    .where('account_id', '=', accountId)
    .where('test_result', '=', sql.lit('host_key_changed'))
    .where('deleted_at_ms', 'is', null)
    .orderBy('tested_at_ms')
    .limit(limit),
);

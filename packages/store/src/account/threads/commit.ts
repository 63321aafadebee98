/*
 * One change of a thread, in one transaction that compares the thread's version.
 *
 * TC1 The version is compared and raised by the first statement. Who decided on rows that are not the newest writes nothing.
 * TC2 A change has an id, which its last event keeps for good, and the thread until its next change. So a change that is committed again
 *    after a lost answer is recognised, even when others were committed on top of it. One without events is recognised only while it is
 *    the newest: it moves nothing but the run, and deciding it anew on the newer rows is harmless.
 * TC3 A change that takes room in the lanes is written if they have it, and counted in the same transaction (lanes.ts).
 * TC4 A change that nobody has to read leaves a thread that was looked at to its end as one that was: the mark moves with it. It is compared
 *    here, because no change of a thread has the mark among its rows.
 *
 * A change that only adds text of the agent and moves the run's cursor is three statements.
 */
import type {
  AgentRunRow,
  LaneFull,
  ThreadAudit,
  ThreadChange,
  ThreadRows,
} from '@clawdfather/agents';
import type { Random } from '@clawdfather/kit';
import { sql } from 'kysely';
import { insertAudit } from '../../audit.ts';
import { createInsert, runUpdate, updateOne } from '../../compiled-write.ts';
import type { AccountContext } from '../../context.ts';
import type { Database } from '../../engine.ts';
import type {
  AcpAsksTable,
  AcpCallsTable,
  AcpFramesTable,
  AgentRunsTable,
  TurnEventsTable,
  TurnsTable,
} from '../../schema/agent-tables.ts';
import { createSelect, type SelectTarget } from '../../select.ts';
import { writeNews } from '../feed/news.ts';
import { newsOfChange } from '../feed/thread-news.ts';
import {
  askChanges,
  runFacts,
  runProgress,
  threadChanges,
  type turnAsked,
  turnChanges,
} from './columns.ts';
import { writeOffered } from './agent-choices.ts';
import { writeArtifacts } from './artifact-rows.ts';
import { findFullLane } from './lanes.ts';
import { insertBlobs } from './large-text.ts';
import { type NamedChange, type WrittenRows, writtenRows } from './written-rows.ts';

export async function commitChange(
  context: AccountContext,
  before: ThreadRows,
  {
    change,
    audits = [],
  }: { readonly change: ThreadChange; readonly audits: readonly ThreadAudit[] | undefined },
): Promise<'committed' | 'conflict' | LaneFull> {
  const { runner, accountId, random } = context;
  const changeId = changeIdOf(change, random);
  const written = writtenRows(accountId, before, { ...change, changeId });
  const news = newsOfChange(before, change);
  const values = {
    ...threadChanges(change.rows.thread),
    accountId,
    id: before.thread.id,
    version: before.thread.version,
    nextVersion: before.thread.version + 1,
    changeId,
  };
  const named = { before, change: { ...change, changeId } };
  return await runner.writeRepeatable(async (db) => {
    const target = { dialect: runner.dialect, db };
    // TC3
    const full =
      change.claim && (await findFullLane(target, change.claim, { ...before.thread, accountId }));
    if (full !== undefined) return (await wasCommitted(db, accountId, named)) ? 'committed' : full;
    // TC1
    if ((await runUpdate(target, updateThread, values)) === 1) {
      await write(target, accountId, written);
      // TC4
      if (change.isRoutine === true) await runUpdate(target, keepSeen, seenToKeep(values, before));
      await writeOffered(db, context, named);
      for (const audit of audits) await insertAudit(db, context, audit);
      if (news !== undefined) await writeNews(db, context, news);
      return 'committed';
    }
    return (await wasCommitted(db, accountId, named)) ? 'committed' : 'conflict';
  });
}

/* By identity: a caller that commits the same change again means the same one. */
const changeIds = new WeakMap<ThreadChange, string>();

function changeIdOf(change: ThreadChange, random: Random): string {
  const known = changeIds.get(change);
  if (known !== undefined) return known;
  const id = random.id();
  changeIds.set(change, id);
  return id;
}

/** TC2. */
async function wasCommitted(
  db: Database,
  accountId: string,
  { before, change }: { readonly before: ThreadRows; readonly change: NamedChange },
): Promise<boolean> {
  const { id, version } = before.thread;
  const { changeId, events } = change;
  const lastSeq = events.at(-1)?.seq;
  if (lastSeq !== undefined) {
    const event = await db
      .selectFrom('turn_events')
      .select('change_id')
      .where('account_id', '=', accountId)
      .where('thread_id', '=', id)
      .where('seq', '=', lastSeq)
      .executeTakeFirst();
    return event?.change_id === changeId;
  }
  const thread = await db
    .selectFrom('threads')
    .select(['version', 'change_id'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return thread?.version === version + 1 && thread.change_id === changeId;
}

async function write(target: SelectTarget, accountId: string, rows: WrittenRows): Promise<void> {
  await insertBlobs(target, rows.blobs);
  await writeRuns(target, accountId, rows);
  for (const turn of rows.changedTurns) {
    await updateOne(target, updateTurn, { ...turnChanges(turn), accountId, id: turn.id });
  }
  for (const { id, ...asked } of rows.editedTurns) {
    await updateOne(target, updateAsked, { ...asked, accountId, id });
  }
  await insertTurns(target, rows.newTurns);
  for (const { run_id: runId, id, state } of rows.changedCalls) {
    await updateOne(target, updateCall, { accountId, runId, id, state });
  }
  await insertCalls(target, rows.newCalls);
  for (const ask of rows.changedAsks) {
    await updateOne(target, updateAsk, { ...askChanges(ask), accountId, id: ask.id });
  }
  await insertAsks(target, rows.newAsks);
  await insertEvents(target, rows.events);
  await insertFrames(target, rows.frames);
  await writeArtifacts(target, accountId, rows);
}

async function writeRuns(
  target: SelectTarget,
  accountId: string,
  { changedRuns, newRuns, endedRunId }: WrittenRows,
): Promise<void> {
  for (const { run, isProgress } of changedRuns) {
    const { runId } = run;
    const facts = isProgress ? {} : runFacts(run);
    await updateOne(target, updateRun, { ...runProgress(run), ...facts, accountId, runId });
  }
  await insertRuns(target, newRuns);
  if (endedRunId !== undefined) {
    await runUpdate(target, abandonCalls, { accountId, runId: endedRunId });
  }
}

interface OfAccount {
  readonly accountId: string;
}

interface OfRow extends OfAccount {
  readonly id: string;
}

interface OfRun extends OfAccount {
  readonly runId: AgentRunRow['runId'];
}

type ThreadValues = OfRow &
  ReturnType<typeof threadChanges> & {
    readonly version: number;
    readonly nextVersion: number;
    readonly changeId: string;
  };

const updateThread = createSelect(
  (db, { accountId, id, version, nextVersion, changeId, ...columns }: ThreadValues) =>
    db
      .updateTable('threads')
      .set({ ...columns, version: nextVersion, change_id: changeId })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .where('version', '=', version),
);

interface SeenToKeep extends OfRow {
  readonly lastSeq: number;
  readonly nextSeq: number;
}

function seenToKeep({ accountId, id, last_seq: nextSeq }: ThreadValues, before: ThreadRows) {
  return { accountId, id, lastSeq: before.thread.lastSeq, nextSeq };
}

/** One that was never looked at stays so. */
const keepSeen = createSelect((db, { accountId, id, lastSeq, nextSeq }: SeenToKeep) =>
  db
    .updateTable('threads')
    .set({ seen_seq: nextSeq })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('seen_seq', '=', lastSeq)
    .where('seen_seq', '>', 0),
);

type RunValues = OfRun & ReturnType<typeof runProgress> & Partial<ReturnType<typeof runFacts>>;

const updateRun = createSelect((db, { accountId, runId, ...columns }: RunValues) =>
  db
    .updateTable('agent_runs')
    .set(columns)
    .where('account_id', '=', accountId)
    .where('run_id', '=', runId),
);

type TurnValues = OfRow & ReturnType<typeof turnChanges>;

const updateTurn = createSelect((db, { accountId, id, ...columns }: TurnValues) =>
  db.updateTable('turns').set(columns).where('account_id', '=', accountId).where('id', '=', id),
);

type AskedValues = OfRow & ReturnType<typeof turnAsked>;

const updateAsked = createSelect((db, { accountId, id, ...columns }: AskedValues) =>
  db.updateTable('turns').set(columns).where('account_id', '=', accountId).where('id', '=', id),
);

type AskValues = OfRow & ReturnType<typeof askChanges>;

const updateAsk = createSelect((db, { accountId, id, ...columns }: AskValues) =>
  db.updateTable('acp_asks').set(columns).where('account_id', '=', accountId).where('id', '=', id),
);

type CallValues = OfRun & Pick<AcpCallsTable, 'id' | 'state'>;

const updateCall = createSelect((db, { accountId, runId, id, state }: CallValues) =>
  db
    .updateTable('acp_calls')
    .set({ state })
    .where('account_id', '=', accountId)
    .where('run_id', '=', runId)
    .where('id', '=', id),
);

/** Nobody answers them any more. */
const abandonCalls = createSelect((db, { accountId, runId }: OfRun) =>
  db
    .updateTable('acp_calls')
    .set({ state: sql.lit('abandoned') })
    .where('account_id', '=', accountId)
    .where('run_id', '=', runId)
    .where('state', '=', sql.lit('sent')),
);

const insertRuns = createInsert<AgentRunsTable>((db, rows) =>
  db.insertInto('agent_runs').values(rows),
);
const insertTurns = createInsert<TurnsTable>((db, rows) => db.insertInto('turns').values(rows));
const insertEvents = createInsert<TurnEventsTable>((db, rows) =>
  db.insertInto('turn_events').values(rows),
);
const insertFrames = createInsert<AcpFramesTable>((db, rows) =>
  db.insertInto('acp_frames').values(rows),
);
const insertCalls = createInsert<AcpCallsTable>((db, rows) =>
  db.insertInto('acp_calls').values(rows),
);

/** A line of an agent that is read twice is one ask (W6), and what was decided about it stays. */
const insertAsks = createInsert<AcpAsksTable>((db, rows) =>
  db
    .insertInto('acp_asks')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['account_id', 'id']).doNothing()),
);

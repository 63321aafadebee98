/*
 * The threads of an account: the port of packages/agents, whose decisions are committed here.
 */
import type { ThreadRecords, TurnRow } from '@clawdfather/agents';
import type { AccountContext } from '../../context.ts';
import { toRecord } from '../../schema/record.ts';
import { selectPage } from '../../select.ts';
import { readOffered } from './agent-choices.ts';
import { commitChange } from './commit.ts';
import { createThread } from './create.ts';
import { archiveThread, editThread, unarchiveThread } from './edit.ts';
import { loadThread, runOf, threadOf } from './load.ts';
import {
  selectAsk,
  selectDeltas,
  selectEndedRuns,
  selectEvents,
  selectFrames,
  selectLastAsks,
  selectOpenAsks,
  selectOpenPrompts,
  selectThread,
  selectThreads,
  selectTurn,
  selectTurnOfMessage,
  selectTurns,
} from './selects.ts';
import { createTurnLists, type TurnLists } from './turn-lists.ts';

export interface Threads extends ThreadRecords, TurnLists {
  /** The prompts of all turns that have not ended. */
  openPrompts(): Promise<readonly (readonly Prompt[number][])[]>;
}

type Prompt = TurnRow['prompt'];

export function createThreads(context: AccountContext): Threads {
  const { runner, accountId } = context;
  return {
    ...createTurnLists(context),
    create: (thread, audit) => createThread(context, thread, audit),
    load: (threadId) => loadThread(context, threadId),
    commit: (before, change, audits) => commitChange(context, before, { change, audits }),
    get: async (threadId) => {
      const [row] = await runner.select(selectThread, { accountId, threadId });
      return row === undefined ? undefined : threadOf(toRecord(row));
    },
    list: async ({ status, idPrefix, includeArchived, isPinned, rootId, ...page } = {}) => {
      const withArchived = includeArchived === true ? 1 : undefined;
      const onlyPinned = isPinned === true ? 1 : undefined;
      const idPrefixLength = idPrefix === undefined ? undefined : Array.from(idPrefix).length;
      const wanted = { accountId, status, withArchived, onlyPinned };
      const values = { ...wanted, idPrefix, idPrefixLength, rootId };
      const { items, total } = await selectPage(runner, selectThreads, { page, values });
      return { items: items.map(threadOf), total };
    },
    archive: (threadId, audit) =>
      runner.writeRepeatable((db) => archiveThread(db, context, { threadId, audit })),
    unarchive: (threadId, audit) =>
      runner.writeRepeatable((db) => unarchiveThread(db, context, { threadId, audit })),
    edit: (threadId, edit, audit) =>
      runner.writeRepeatable((db) => editThread(db, context, { threadId, edit, audit })),
    offered: (agent, connectionId) => readOffered(context, agent, connectionId),
    events: async (threadId, { after, limit }) => {
      const rows = await runner.select(selectEvents, { accountId, threadId, after, limit });
      return rows.map(toRecord);
    },
    deltas: async ({ threadId, id: turnId }, { after, limit }) => {
      const wanted = { accountId, threadId, turnId, after, limit };
      return (await runner.select(selectDeltas, wanted)).map(toRecord);
    },
    turns: async (threadId) =>
      (await runner.select(selectTurns, { accountId, threadId })).map(toRecord),
    turn: async (id) => (await runner.select(selectTurn, { accountId, id })).map(toRecord)[0],
    turnOfMessage: async (threadId, messageId) => {
      const rows = await runner.select(selectTurnOfMessage, { accountId, threadId, messageId });
      return rows.map(toRecord)[0];
    },
    openPrompts: async () =>
      (await runner.select(selectOpenPrompts, { accountId })).map((row) => toRecord(row).prompt),
    ask: async (id) => (await runner.select(selectAsk, { accountId, id })).map(toRecord)[0],
    openAsks: async () => (await runner.select(selectOpenAsks, { accountId })).map(toRecord),
    lastAsks: async (limit) =>
      (await runner.select(selectLastAsks, { accountId, limit })).map(toRecord).toReversed(),
    frames: async (runId, from) =>
      (await runner.select(selectFrames, { accountId, runId, from })).map(toRecord),
    trimFrames: async (runId, below) => {
      await runner.writeRepeatable((db) =>
        db
          .deleteFrom('acp_frames')
          .where('account_id', '=', accountId)
          .where('run_id', '=', runId)
          .where('input_end', '<=', below)
          .execute(),
      );
    },
    endedRuns: async (threadId) =>
      (await runner.select(selectEndedRuns, { accountId, threadId })).map(runOf),
  };
}

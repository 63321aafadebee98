/*
 * A thread with all that is open in it. Reads have no transaction on SQLite, and these rows come from several statements; the thread's
 * version tells whether they agree, because every change raises it.
 */
import type { AgentRunRow, ThreadRow, ThreadRows } from '@clawdfather/agents';
import type { AccountContext } from '../../context.ts';
import { type Runner, runnerOf } from '../../engine.ts';
import { looseReadsMax } from '../../limits.ts';
import { type RecordOf, toRecord } from '../../schema/record.ts';
import type { AgentRunsTable, ThreadsTable } from '../../schema/agent-tables.ts';
import { selectOpenSyncs, syncOf } from './artifact-rows.ts';
import {
  selectAsksAhead,
  selectLiveRun,
  selectOpenAsksOfThread,
  selectOpenTurns,
  selectSentCalls,
  selectThread,
  selectVersion,
} from './selects.ts';

export async function loadThread(
  { runner, accountId }: AccountContext,
  threadId: string,
): Promise<ThreadRows | undefined> {
  const name = { accountId, threadId };
  for (let attempt = 0; attempt < looseReadsMax; attempt += 1) {
    const rows = await readOpenRows(runner, name);
    const [newest] = await runner.select(selectVersion, name);
    if (rows?.thread.version === newest?.version) return rows;
  }
  return await runner.write((db) => readOpenRows(runnerOf(db, runner.dialect), name));
}

async function readOpenRows(
  runner: Runner,
  name: { readonly accountId: string; readonly threadId: string },
): Promise<ThreadRows | undefined> {
  const [row] = await runner.select(selectThread, name);
  if (row === undefined) return undefined;
  const [run] = await runner.select(selectLiveRun, name);
  const ofRun = run === undefined ? undefined : { accountId: name.accountId, runId: run.run_id };
  const calls = ofRun === undefined ? [] : await runner.select(selectSentCalls, ofRun);
  const ahead = ofRun === undefined ? [] : await runner.select(selectAsksAhead, ofRun);
  const open = await runner.select(selectOpenAsksOfThread, name);
  const asks = [...open, ...ahead].map(toRecord);
  const turns = (await runner.select(selectOpenTurns, name)).map(toRecord);
  const syncs = await runner.select(selectOpenSyncs, name);
  const turn = turns.find(({ status }) => status === 'running');
  return {
    thread: threadOf(toRecord(row)),
    ...(run === undefined ? {} : { run: runOf(run) }),
    calls: new Map(calls.map((call) => [call.id, toRecord(call)])),
    asks: new Map(asks.map((ask) => [ask.id, ask])),
    ...(turn === undefined ? {} : { turn }),
    queue: turns.filter(({ status }) => status === 'queued'),
    ...(syncs.length === 0
      ? {}
      : { syncs: new Map(syncs.map((row) => [row.turn_id, syncOf(row)])) }),
  };
}

/** Without what only queries know. */
export function threadOf(record: RecordOf<ThreadsTable>): ThreadRow {
  const { accountId: _account, changeId: _change, ...thread } = record;
  return thread;
}

export function runOf(row: AgentRunsTable): AgentRunRow {
  const { accountId: _account, threadId: _thread, ...record } = toRecord(row);
  const { rootPid, processGroupId, startTicks, bootId, ...run } = record;
  const isStarted =
    rootPid !== undefined &&
    processGroupId !== undefined &&
    startTicks !== undefined &&
    bootId !== undefined;
  return isStarted ? { ...run, process: { rootPid, processGroupId, startTicks, bootId } } : run;
}

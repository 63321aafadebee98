/*
 * What a change of a thread writes, made into columns before the transaction begins, because the transaction may run more than once and
 * other writes wait for it.
 *
 * A row that is the same object as before was not changed and is not written.
 */
import type {
  AgentRunRow,
  AskRow,
  CallRow,
  ThreadChange,
  ThreadRows,
  TurnRow,
} from '@clawdfather/agents';
import type { RunId } from '@clawdfather/supervisor';
import { StoreError } from '../../errors.ts';
import { turnsPerChangeMax } from '../../limits.ts';
import type {
  AcpAsksTable,
  AcpCallsTable,
  AcpFramesTable,
  AgentRunsTable,
  BlobsTable,
  TurnEventsTable,
  TurnsTable,
} from '../../schema/agent-tables.ts';
import {
  askColumns,
  callColumns,
  eventColumns,
  frameColumns,
  runColumns,
  type ThreadName,
  turnAsked,
  turnColumns,
} from './columns.ts';
import { type WrittenArtifacts, writtenArtifacts } from './artifact-rows.ts';
import { Blobs } from './large-text.ts';

export interface WrittenRows extends WrittenArtifacts {
  readonly blobs: readonly BlobsTable[];
  /** In the order in which they must be written: an end makes room for the next. */
  readonly changedTurns: readonly TurnRow[];
  readonly newTurns: readonly TurnsTable[];
  /** Of those that changed: what is asked for is another thing now. */
  readonly editedTurns: readonly ({ readonly id: string } & ReturnType<typeof turnAsked>)[];
  readonly changedRuns: readonly { readonly run: AgentRunRow; readonly isProgress: boolean }[];
  readonly newRuns: readonly AgentRunsTable[];
  readonly endedRunId: RunId | undefined;
  readonly changedCalls: readonly AcpCallsTable[];
  readonly newCalls: readonly AcpCallsTable[];
  readonly changedAsks: readonly AskRow[];
  readonly newAsks: readonly AcpAsksTable[];
  readonly events: readonly TurnEventsTable[];
  readonly frames: readonly AcpFramesTable[];
}

export interface NamedChange extends ThreadChange {
  readonly changeId: string;
}

export function writtenRows(
  accountId: string,
  before: ThreadRows,
  change: NamedChange,
): WrittenRows {
  const name: ThreadName = { accountId, threadId: before.thread.id };
  refuseHoles(before, change);
  const blobs = new Blobs(accountId);
  const { rows, endedRun } = change;
  const turns = turnsOf(name, { before, change, blobs });
  const runs = runsOf(name, before, change);
  const runId = (rows.run ?? endedRun ?? before.run)?.runId;
  const calls = splitKnown(before.calls, rows.calls);
  const asks = splitKnown(before.asks, rows.asks);
  const last = change.events.at(-1);
  const events = change.events.map((event) =>
    eventColumns(name, event, { blobs, changeId: event === last ? change.changeId : null }),
  );
  const ofCall = (call: CallRow) => callColumns(accountId, runOf(runId), call);
  const newAsks = asks.fresh.map((ask) => askColumns(name, ask, blobs));
  return {
    ...turns,
    ...runs,
    ...writtenArtifacts(name, before, change),
    endedRunId: endedRun?.runId,
    changedCalls: calls.changed.map(ofCall),
    newCalls: calls.fresh.map(ofCall),
    changedAsks: asks.changed,
    newAsks,
    events,
    frames: change.frames.map((frame) => frameColumns(accountId, runOf(runId), frame)),
    // Last: by now all are collected.
    blobs: blobs.rows,
  };
}

/** The counter of the thread and its events are one, so that no reader waits for a number that never comes. */
function refuseHoles({ thread }: ThreadRows, { rows, events }: ThreadChange): void {
  const isRow = events.every(({ seq }, index) => seq === thread.lastSeq + index + 1);
  if (isRow && rows.thread.lastSeq === thread.lastSeq + events.length) return;
  throw new StoreError('value-invalid', 'the events of a change do not follow those before', {
    detail: { field: 'events', lastSeq: thread.lastSeq },
  });
}

function runOf(runId: RunId | undefined): RunId {
  if (runId !== undefined) return runId;
  throw new StoreError('value-invalid', 'calls and frames belong to a run, and there is none', {
    detail: { field: 'run' },
  });
}

function turnsOf(
  name: ThreadName,
  {
    before,
    change,
    blobs,
  }: { readonly before: ThreadRows; readonly change: ThreadChange; readonly blobs: Blobs },
): Pick<WrittenRows, 'changedTurns' | 'newTurns' | 'editedTurns'> {
  const known = new Map(openTurns(before).map((turn) => [turn.id, turn]));
  const { agent } = before.thread;
  const { rows, endedTurns } = change;
  /* Ended ones and those that wait come first: only one may run. */
  const next = [...endedTurns, ...rows.queue, ...(rows.turn === undefined ? [] : [rows.turn])];
  const firstPlace = (before.thread.version + 1) * turnsPerChangeMax;
  const changedTurns = next.filter((turn) => known.has(turn.id) && known.get(turn.id) !== turn);
  return {
    changedTurns,
    editedTurns: changedTurns
      .filter((turn) => isEdited(known.get(turn.id), turn))
      .map((turn) => ({ id: turn.id, ...turnAsked(turn, blobs) })),
    newTurns: next
      .filter(({ id }) => !known.has(id))
      .map((turn, index) =>
        turnColumns({ ...name, agent }, turn, { place: firstPlace + index, blobs }),
      ),
  };
}

function isEdited(known: TurnRow | undefined, turn: TurnRow): boolean {
  return (
    turn.prompt !== known?.prompt ||
    turn.loadClass !== known.loadClass ||
    turn.notBeforeMs !== known.notBeforeMs
  );
}

function openTurns({ turn, queue }: ThreadRows): readonly TurnRow[] {
  return turn === undefined ? queue : [turn, ...queue];
}

function runsOf(
  name: ThreadName,
  before: ThreadRows,
  { rows, endedRun }: ThreadChange,
): Pick<WrittenRows, 'changedRuns' | 'newRuns'> {
  const known = before.run;
  /* The ended one first: only one may live. */
  const next = [endedRun, rows.run]
    .filter((run) => run !== undefined)
    .filter((run) => run !== known);
  return {
    changedRuns: next
      .filter((run) => run.runId === known?.runId)
      .map((run) => ({ run, isProgress: isProgress(known, run) })),
    newRuns: next.filter((run) => run.runId !== known?.runId).map((run) => runColumns(name, run)),
  };
}

function isProgress(known: AgentRunRow | undefined, run: AgentRunRow): boolean {
  return (
    run.process === known?.process &&
    run.capabilities === known?.capabilities &&
    run.closing === known?.closing &&
    run.choices === known?.choices &&
    run.setting === known?.setting &&
    run.endedAtMs === known?.endedAtMs
  );
}

function splitKnown<Key, Row>(
  before: ReadonlyMap<Key, Row>,
  after: ReadonlyMap<Key, Row>,
): { readonly changed: readonly Row[]; readonly fresh: readonly Row[] } {
  const changed: Row[] = [];
  const fresh: Row[] = [];
  for (const [key, row] of after) {
    const known = before.get(key);
    if (known === undefined) fresh.push(row);
    else if (known !== row) changed.push(row);
  }
  return { changed, fresh };
}

/*
 * Whether a thread is what its agents have said: what is stored is compared with the journals of their runs, as far as these are still here.
 *
 * Stages: the thread's runs → its stored events, each given to the run that said it, as hashes → of every run the same from its journal →
 * compared. What cannot be compared is named with its reason; it is not taken for the same.
 */
import type { AgentRunRow, ThreadRecords, ThreadRows, TurnRow } from '@clawdfather/agents';
import type { AccountId, Clock } from '@clawdfather/kit';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { Store } from '@clawdfather/store';
import type { RunId, Supervisor } from '@clawdfather/supervisor';
import { showEvent } from '../../agents/show-thread.ts';
import { notFound } from '../../http/api-error.ts';
import { readStretch } from '../read-stretch.ts';
import { ReceiptSums } from '../receipt.ts';
import { compareWithJournal } from './compare-with-journal.ts';
import { replayRun } from './replay-run.ts';
import { runOfEvent } from './run-of-event.ts';
import { FactList } from './said-facts.ts';

type Verified = AnswerOf<Api['history']['verify']>;
type VerifiedRun = Verified['runs'][number];
type Reason = NonNullable<VerifiedRun['reason']>;

/* Of one answer: the time that any other request has, without what is needed around it. */
const timeMs = 20_000;
/* Of one answer; hashes of all of them are held at once. */
const limits = { events: 200_000, bytes: 512 * 1024 * 1024 };

export interface VerifyDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly runs: { readonly supervisor: Pick<Supervisor, 'attach' | 'get' | 'instanceId'> };
}

export async function verifyThread(
  { store, clock, runs: { supervisor } }: VerifyDeps,
  accountId: AccountId,
  { threadId, signal }: { readonly threadId: string; readonly signal: AbortSignal },
): Promise<Verified> {
  const { threads, history } = store.forAccount(accountId);
  const stop = new AbortController();
  const timer = clock.timer(timeMs, () => stop.abort());
  try {
    const until = AbortSignal.any([signal, stop.signal]);
    const { rows, runs, turns } = await readRuns(threads, threadId);
    const stored = gatherStored(rows, runs, turns);
    const { lastSeq } = rows.thread;
    const through = await readStretch(
      { history, threads },
      { threadId, since: 0, last: lastSeq, limits, signal: until },
      stored.take,
    );
    const isComplete = through >= lastSeq;
    const found: VerifiedRun[] = [];
    for (const runId of stored.runIds()) {
      const run = runs.find((one) => one.runId === runId);
      const asked = { rows, turns, signal: until, isComplete };
      found.push(await verifyRun(supervisor, { ...asked, runId, run, facts: stored.of(runId) }));
    }
    const { events, checksum, missing } = stored.sums.sums(through);
    const count = (outcome: VerifiedRun['outcome']) =>
      found.filter((one) => one.outcome === outcome).length;
    return {
      thread_id: threadId,
      through,
      newest_seq: lastSeq,
      is_complete: isComplete,
      events,
      checksum,
      missing: [...missing],
      runs: found,
      same: count('same'),
      differs: count('differs'),
      not_comparable: count('not_comparable'),
    };
  } finally {
    timer.cancel();
  }
}

/* How often it is read again because a run has ended meanwhile. */
const triesMax = 10;

async function readRuns(threads: ThreadRecords, threadId: string) {
  for (let tries = 1; ; tries += 1) {
    const before = await threads.endedRuns(threadId);
    const rows = await threads.load(threadId);
    if (rows === undefined) throw notFound();
    const turns = await threads.turns(threadId);
    const ended = await threads.endedRuns(threadId);
    // One that has ended since the rows were read is there as it was then.
    const runs = [...ended.filter(({ runId }) => runId !== rows.run?.runId), ...one(rows.run)];
    const known = new Set([...before, ...one(rows.run)].map(({ runId }) => runId));
    if (tries === triesMax || runs.every(({ runId }) => known.has(runId))) {
      const ordered = runs.toSorted((left, right) => left.startedAtMs - right.startedAtMs);
      return { rows, turns, runs: ordered };
    }
  }
}

function one(run: AgentRunRow | undefined): readonly AgentRunRow[] {
  return run === undefined ? [] : [run];
}

/* The stored events as they go by: the chain of all, and the facts of each run. */
function gatherStored(
  { asks }: ThreadRows,
  runs: readonly AgentRunRow[],
  turns: readonly TurnRow[],
) {
  const sums = new ReceiptSums(0);
  const runOf = runOfEvent(runs, turns);
  const ofTurns = turns.flatMap(({ runId }) => (runId === undefined ? [] : [runId]));
  const known = new Set(runs.map(({ runId }) => runId));
  // Leases that are forgotten are older than all that are known.
  const names = new Set([...ofTurns.filter((runId) => !known.has(runId)), ...known]);
  const lists = new Map([...names].map((runId) => [String(runId), new FactList()]));
  return {
    sums,
    runIds: () => [...names],
    of: (runId: RunId) => lists.get(runId)?.facts() ?? { said: [], asks: [] },
    take: (event: Parameters<typeof showEvent>[0]): void => {
      sums.take(showEvent(event));
      const { ask } = event.payload;
      // Its line is beyond what was consumed.
      if (typeof ask === 'string' && asks.get(ask)?.notedAheadAtMs !== undefined) return;
      lists.get(runOf(event) ?? '')?.take(event);
    },
  };
}

interface AskedRun {
  readonly rows: ThreadRows;
  readonly turns: readonly TurnRow[];
  readonly runId: RunId;
  readonly run: AgentRunRow | undefined;
  readonly facts: ReturnType<FactList['facts']>;
  readonly isComplete: boolean;
  readonly signal: AbortSignal;
}

async function verifyRun(
  supervisor: VerifyDeps['runs']['supervisor'],
  asked: AskedRun,
): Promise<VerifiedRun> {
  const { runId, run, rows, turns, facts, signal, isComplete } = asked;
  const { thread } = rows;
  const cannot = (reason: Reason): VerifiedRun => ({
    run_id: runId,
    outcome: 'not_comparable',
    reason,
    compared: 0,
    difference: null,
  });
  if (run === undefined) return cannot('forgotten');
  if (thread.connectionId !== undefined || thread.viaConnectionId !== undefined) {
    return cannot('host');
  }
  if (run.instanceId !== supervisor.instanceId) return cannot('another_machine');
  if (supervisor.get(runId) === undefined) return cannot('collected');
  if (!isComplete) return cannot(signal.aborted ? 'no_time' : 'too_long');
  const calls = turns.filter((turn) => turn.runId === runId).map(({ promptCall }) => promptCall);
  const promptCalls = new Set(calls.filter((call) => call !== undefined));
  const handle = await supervisor.attach(runId);
  const replayed = await replayRun(handle, { thread, run, promptCalls, signal });
  if (replayed.outcome === 'no-time') return cannot('no_time');
  if (replayed.outcome !== 'read') return cannot(replayed.outcome);
  const result = compareWithJournal(facts, replayed.facts);
  const { outcome, compared } = result;
  return {
    run_id: runId,
    outcome,
    reason: null,
    compared,
    difference: result.outcome === 'same' ? null : showDifference(result.first),
  };
}

type Difference = Extract<ReturnType<typeof compareWithJournal>, { outcome: 'differs' }>['first'];

function showDifference({ kind, what, seq, lastSeq, stored, replayed }: Difference) {
  return {
    kind,
    what,
    seq,
    last_seq: lastSeq,
    stored_sha256: stored ?? null,
    journal_sha256: replayed ?? null,
  };
}

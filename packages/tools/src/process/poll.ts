/*
 * `process poll`: what a run has said since the caller's cursor, or its end; waits for either when there is neither.
 *
 * Stages: the run is found (an unknown one fails at once) → a held one is waited for, first the decision, then its start →
 * unread output is read → if there is none, news of the journal wakes us, and no timer polls.
 *
 * Reading moves nothing: a caller acknowledges by handing the cursor back. So a poll that is aborted, or whose answer is
 * lost on the way, loses nothing.
 */
import { hasCode, startTimeLimit, type TimeLimit } from '@clawdfather/kit';
import type { PollResult } from '@clawdfather/protocol';
import { type Cursor, type ManagedRun, outputStart, type RunRecord } from '@clawdfather/supervisor';
import type { ToolCall, ToolsContext } from '../context.ts';
import { throwIfGone } from '../exec/exec.ts';
import { finishedResult, notesOf } from '../exec/finished.ts';
import { followOutput, nextOutput, type Reading, readSoFar } from '../exec/follow-output.ts';
import { type CollectedOutput, createOutputCollector } from '../exec/output-collector.ts';
import { timeLimitOf } from '../exec/time-limit-of.ts';
import { findRun } from './find-run.ts';
import type { ParamsOf } from './result-of.ts';
import { readerOf } from './reader-name.ts';
import { isOwnedBy } from './take-over.ts';
import { refusedCursor } from './refusals.ts';
import { waitForStart } from './wait-for-start.ts';
import { isWaitingForInput } from './waiting-for-input.ts';

/* A run that floods is never caught up with; what is read by then is an answer. */
const catchUpMs = 200;
/* What is written is read at once; only what is not there is waited for. */
const journalLookMs = 5;

export async function pollRun(
  context: ToolsContext,
  params: ParamsOf<'poll'>,
  call: ToolCall,
): Promise<PollResult> {
  const found = findRun(context, params.runId, call);
  using limit = startTimeLimit(context.clock, params.waitMs ?? 0, [call.signal, context.signal]);
  const started = await waitForStart(context, found, limit);
  throwIfGone(context, call);
  if (started.kind === 'not-yet') return started.result;
  const { record } = started;
  const reader = readerOf(call, record.runId);
  const asked = params.cursor as Cursor | undefined;
  const from = asked ?? context.readers.acknowledged(reader) ?? outputStart;
  const run = await context.supervisor.attach(record.runId);
  const reading = readingOf(context, run, { call, from });
  try {
    const result = await pollOnce(context, { record, reading, limit, reader, call });
    /* Only a cursor that could be read from counts. */
    if (asked !== undefined) context.readers.acknowledge(reader, asked);
    return result;
  } catch (error) {
    throwIfGone(context, call);
    throw refusedCursor(error);
  }
}

function readingOf(
  { clock }: ToolsContext,
  run: ManagedRun,
  { call, from }: { readonly call: ToolCall; readonly from: Cursor },
): Reading {
  const collector = createOutputCollector(from, call.outputCharactersMax);
  return { clock, run, collector, signal: call.signal };
}

interface Polling {
  readonly record: RunRecord;
  readonly reading: Reading;
  readonly limit: TimeLimit;
  readonly reader: string;
  readonly call: ToolCall;
}

async function pollOnce(context: ToolsContext, polling: Polling): Promise<PollResult> {
  const { record, reading, reader } = polling;
  if (record.exit !== undefined) return finished(context, polling, record);
  for (;;) {
    await readSoFar(reading, catchUpMs);
    const now = context.supervisor.get(record.runId);
    if (now?.exit !== undefined) return finished(context, polling, now);
    if (!isOwnedBy(now ?? record, context.supervisor) && (await hasEnded(reading))) {
      return settled(context, polling);
    }
    const collected = reading.collector.result(false);
    if (collected.output !== '') {
      context.readers.heard(reader);
      return stillRunning(context, polling, collected);
    }
    const news = await waitForNews(polling);
    if (news === 'time-up') return stillRunning(context, polling, reading.collector.result(false));
    if (news === 'settled') return settled(context, polling);
  }
}

async function waitForNews({
  reading,
  limit,
  call,
}: Polling): Promise<'output' | 'settled' | 'time-up'> {
  if (limit.isPast || limit.signal.aborted) return 'time-up';
  try {
    return (await nextOutput({ ...reading, signal: limit.signal })) ? 'output' : 'settled';
  } catch (error) {
    call.signal.throwIfAborted();
    if (limit.signal.aborted) return 'time-up';
    throw error;
  }
}

/* If its owner is gone, its end is in the journal and not yet in the record. */
async function hasEnded(reading: Reading): Promise<boolean> {
  using look = startTimeLimit(reading.clock, journalLookMs, [reading.signal]);
  try {
    return !(await nextOutput({ ...reading, signal: look.signal }));
  } catch (error) {
    if (look.signal.aborted) return false;
    throw error;
  }
}

/* The journal says that it is over; the record follows within a moment. */
async function settled(context: ToolsContext, polling: Polling): Promise<PollResult> {
  const { reading, record } = polling;
  const exit = await reading.run.wait(reading.signal);
  const now = context.supervisor.get(record.runId) ?? record;
  return finished(context, polling, { ...now, exit });
}

async function finished(
  context: ToolsContext,
  { reading, reader }: Polling,
  record: RunRecord,
): Promise<PollResult> {
  const { exit } = record;
  if (exit === undefined) throw new TypeError('the run has not ended');
  /* Leftovers may still be writing: then what there is now, else to the last byte. */
  try {
    if (record.treeEndedAtMs === undefined) await readSoFar(reading, catchUpMs);
    else await followOutput(reading);
  } catch (error) {
    /* It failed before it had a journal; its record says why. */
    if (!hasCode(error, 'journal-missing')) throw error;
  }
  reading.signal.throwIfAborted();
  context.readers.heard(reader);
  return finishedResult(record, exit, reading.collector.result(true));
}

async function stillRunning(
  context: ToolsContext,
  { record, reading, reader }: Polling,
  collected: CollectedOutput,
): Promise<PollResult> {
  const now = context.supervisor.get(record.runId) ?? record;
  const lastOutputAtMs = lastOf(
    reading.run.snapshot().lastOutputAtMs,
    reading.collector.lastOutputAtMs,
  );
  const { notes, ...output } = collected;
  return {
    status: 'running',
    runId: record.runId,
    ...(now.pid === undefined ? {} : { pid: now.pid }),
    ...timeLimitOf(now),
    ...output,
    ...(collected.output === '' ? { retryInMs: context.readers.retryInMs(reader) } : {}),
    waitingForInput: await isWaitingForInput(context, now, lastOutputAtMs),
    notes: [...notesOf(record), ...notes],
  };
}

function lastOf(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Math.max(left, right);
}

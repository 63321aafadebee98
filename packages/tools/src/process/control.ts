/*
 * What can be done to a run: look at its terminal, resize it, signal it, end it, put its record away.
 *
 * A signal goes to the foreground group of a terminal, as a key would send it, and otherwise to the command's own process
 * group. Ending goes through the supervisor: the whole tree, asked first and killed after a grace period, and it is over
 * only when nothing of it lives.
 */
import { constants } from 'node:os';
import { startTimeLimit, suggestNearest, unlessAborted } from '@clawdfather/kit';
import type { PaintedScreenResult, ScreenResult } from '@clawdfather/protocol';
import {
  type ManagedRun,
  outputStart,
  type RunExit,
  type RunRecord,
} from '@clawdfather/supervisor';
import type { ToolCall, ToolsContext } from '../context.ts';
import { ToolsError } from '../errors.ts';
import type { Screen } from '../terminal/terminal-model.ts';
import { findRecord } from './find-run.ts';
import { refusedCommand } from './refusals.ts';
import type { ParamsOf, ResultOf } from './result-of.ts';
import { isOwnedBy } from './take-over.ts';
import { giveUpStart, withdrawHeld } from './withdraw-held.ts';

/* What the supervisor gives a run that names no grace of its own, and from the kill to giving up (T1, T2). */
const usualGraceMs = 5_000;
const killMs = 2_000;
/* For the end to be recorded on a loaded machine. */
const marginMs = 5_000;
const recordedMs = 200;

export async function showScreen(
  context: ToolsContext,
  params: ParamsOf<'screen'>,
  call: ToolCall,
): Promise<ResultOf<'screen'>> {
  const record = findTerminal(context, params.runId, call);
  const { screen } = await context.terminals.look(record, call.signal);
  return screenOf(record, screen);
}

/* The screen, and what a terminal needs to show it and to follow it from there. */
export async function paintScreen(
  context: ToolsContext,
  params: ParamsOf<'screen'>,
  call: ToolCall,
): Promise<PaintedScreenResult> {
  const record = findTerminal(context, params.runId, call);
  const { screen, picture, cursor } = await context.terminals.paint(record, call.signal);
  return { ...screenOf(record, screen), picture: { text: picture, cursor: cursor ?? outputStart } };
}

function screenOf({ runId, exit }: RunRecord, screen: Screen): ScreenResult {
  const { cols, rows, lines, cursor, title, isAlternate } = screen;
  return { runId, cols, rows, lines, cursor, title, isAlternate, isRunning: exit === undefined };
}

export async function resize(
  context: ToolsContext,
  params: ParamsOf<'resize'>,
  call: ToolCall,
): Promise<ResultOf<'resize'>> {
  const record = findTerminal(context, params.runId, call);
  const { cols, rows } = params;
  const run = await attachLiving(context, record);
  await run.resize({ cols, rows });
  return { runId: record.runId, cols, rows };
}

export async function sendSignal(
  context: ToolsContext,
  params: ParamsOf<'signal'>,
  call: ToolCall,
): Promise<ResultOf<'signal'>> {
  const record = findRecord(context, params.runId, call);
  const signal = parseSignal(params.signal);
  const run = await attachLiving(context, record);
  try {
    await run.signal(signal, call.requester);
  } catch (error) {
    throw refusedCommand(error, record.runId);
  }
  return { runId: record.runId, signal };
}

export async function kill(
  context: ToolsContext,
  params: ParamsOf<'kill'>,
  call: ToolCall,
): Promise<ResultOf<'kill'>> {
  const held = await withdrawHeld(context, params.runId, call);
  if (held !== undefined) return { runId: held, isGone: true, survivors: [] };
  const begun = await giveUpStart(context, params.runId, call);
  if (begun !== undefined) return { runId: begun, isGone: true, survivors: [] };
  const record = findRecord(context, params.runId, call);
  const ended = await endTree(context, record, { graceMs: params.graceMs, call });
  return { runId: record.runId, ...ended };
}

export async function clear(
  context: ToolsContext,
  params: ParamsOf<'clear'>,
  call: ToolCall,
): Promise<ResultOf<'clear'>> {
  const record = findRecord(context, params.runId, call);
  const { runId } = record;
  if (!(await isTreeGone(context, record, call))) {
    throw new ToolsError('run-running', `run ${runId} has not ended, or has left processes`, {
      detail: { runId },
      hint: 'Use remove: it ends what is left first.',
    });
  }
  await context.supervisor.remove(runId);
  context.terminals.forget(runId);
  return { runId };
}

/* The record is written a moment after the fact; what has ended is given that moment. */
async function isTreeGone(
  { supervisor, clock }: ToolsContext,
  record: RunRecord,
  call: ToolCall,
): Promise<boolean> {
  const { runId, exit, treeEndedAtMs } = record;
  if (treeEndedAtMs !== undefined) return true;
  if (exit === undefined && isOwnedBy(record, supervisor)) return false;
  using limit = startTimeLimit(clock, recordedMs, [call.signal]);
  return (await treeOf(await supervisor.attach(runId), limit.signal)) === true;
}

/* What could not be ended stays visible: nothing that lives is hidden. */
export async function remove(
  context: ToolsContext,
  params: ParamsOf<'remove'>,
  call: ToolCall,
): Promise<ResultOf<'remove'>> {
  const held = await withdrawHeld(context, params.runId, call);
  if (held !== undefined) return { runId: held, isGone: true, survivors: [] };
  const record = findRecord(context, params.runId, call);
  const ended = await endTree(context, record, { graceMs: undefined, call });
  if (ended.isGone) await context.supervisor.remove(record.runId);
  context.terminals.forget(record.runId);
  return { runId: record.runId, ...ended };
}

interface Ending {
  readonly graceMs: number | undefined;
  readonly call: Pick<ToolCall, 'signal' | 'requester'>;
}

type Ended = Omit<ResultOf<'kill'>, 'runId'>;

/* An abort ends the waiting; what was begun goes on. */
export async function endTree(
  context: ToolsContext,
  record: RunRecord,
  { graceMs, call }: Ending,
): Promise<Ended> {
  const { runId } = record;
  if (record.treeEndedAtMs !== undefined) return endedOf(record.exit, true);
  const run = await context.supervisor.attach(runId);
  const patienceMs = (graceMs ?? usualGraceMs) + killMs + marginMs;
  using limit = startTimeLimit(context.clock, patienceMs, [call.signal, context.signal]);
  const grace = graceMs === undefined ? undefined : Math.max(1, graceMs);
  await run.cancel('manual-cancel', call.requester, grace);
  const exit = await unlessAborted(exitOf(run, limit.signal), limit.signal);
  const isGone = (await unlessAborted(treeOf(run, limit.signal), limit.signal)) === true;
  call.signal.throwIfAborted();
  return endedOf(exit ?? context.supervisor.get(runId)?.exit, isGone);
}

async function exitOf(run: ManagedRun, signal: AbortSignal): Promise<RunExit | undefined> {
  try {
    return await run.wait(signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/* Not from the record, which is written a moment later. */
async function treeOf(run: ManagedRun, signal: AbortSignal): Promise<boolean> {
  try {
    await run.waitTree(signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

function endedOf(exit: RunExit | undefined, isGone: boolean): Ended {
  const survivors = isGone ? [] : (exit?.survivors ?? []);
  const isTimeout = exit?.reason === 'overall-timeout' || exit?.reason === 'no-output-timeout';
  return {
    isGone,
    survivors: survivors.map(({ pid, comm }) => ({ pid, name: comm })),
    ...(exit === undefined ? {} : { reason: exit.reason }),
    ...(exit?.code === undefined || isTimeout ? {} : { exitCode: exit.code }),
    ...(exit?.signal === undefined ? {} : { signal: exit.signal }),
  };
}

function findTerminal(context: ToolsContext, runId: string, call: ToolCall): RunRecord {
  const record = findRecord(context, runId, call);
  if (record.mode !== 'child') return record;
  throw new ToolsError('no-terminal', `run ${record.runId} has no terminal`, {
    detail: { runId: record.runId },
    hint: 'Start it with pty: true.',
  });
}

async function attachLiving(
  context: ToolsContext,
  { runId, exit }: RunRecord,
): Promise<ManagedRun> {
  if (exit === undefined) return context.supervisor.attach(runId);
  throw new ToolsError('run-ended', `run ${runId} has ended`, { detail: { runId } });
}

function isSignal(name: string): name is NodeJS.Signals {
  return Object.hasOwn(constants.signals, name);
}

/* `INT`, `int` and `SIGINT` are one. */
function parseSignal(text: string): NodeJS.Signals {
  const upper = text.toUpperCase();
  const name = upper.startsWith('SIG') ? upper : `SIG${upper}`;
  if (isSignal(name)) return name;
  const nearest = suggestNearest(name, Object.keys(constants.signals));
  throw new ToolsError('signal-unknown', `no signal is called ${JSON.stringify(text)}`, {
    detail: { signal: text, ...(nearest === undefined ? {} : { nearest }) },
    hint: nearest === undefined ? 'Name one such as SIGINT.' : `Did you mean ${nearest}?`,
  });
}

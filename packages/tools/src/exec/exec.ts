/*
 * The `exec` tool: a command is asked for, checked, started, and waited for as long as the caller wants.
 *
 * Stages: plan → policy → start → the end, or `yieldMs`, whichever comes first. No stage makes the caller
 * wait beyond `yieldMs`: a run that has not even started by then is reported as running without a pid. Two exceptions: a request
 * for a person about files that do not answer (hold-request.ts), and the first look at what a shield is about.
 *
 * An abort before the answer ends the run and is recorded with who asked; after the answer the run is in the background
 * and an abort no longer ends it.
 */
import { hasCode, startTimeLimit, type TimeLimit, unlessAborted, within } from '@clawdfather/kit';
import { execLimits, type ExecParams, type ExecResult } from '@clawdfather/protocol';
import { type ManagedRun, outputStart, type RunExit, type RunId } from '@clawdfather/supervisor';
import { localHost } from '@clawdfather/supervisor/origins';
import type { Proposal, Verdict } from '../approvals/gatekeeper.ts';
import type { ToolCall, ToolsContext } from '../context.ts';
import { ToolsError } from '../errors.ts';
import { createTextCleaner } from '../output/clean-text.ts';
import { seenByRequest } from '../shield/seen-by-request.ts';
import { beginStart } from './begin-start.ts';
import { finishedResult, notesOf, type RunFacts } from './finished.ts';
import { followOutput, type Reading } from './follow-output.ts';
import { pendingResult, watchHeld } from './held-runs.ts';
import { createOutputCollector } from './output-collector.ts';
import { type ExecPlan, planExec } from './plan-exec.ts';
import type { Started } from './start-run.ts';
import { deadlinesOfRequest, formatRequest, type StoredRequest } from './stored-request.ts';
import { timeLimitOf } from './time-limit-of.ts';

/* Most commands end within this; their output then comes with the end, and the journal's file is never opened. */
const headStartMs = 15;
/* Made once: an abort without a reason makes an error with a stack each time. */
const answered = new Error('the call has been answered');
/* Only where nobody chose the limit: an agent that reads this may start what has to go on another way next time. */
const keepsUsualLimit =
  'it keeps the usual time limit of a foreground command; what has to go on longer is started with background or timeoutSeconds';
/* As many as fit into a label. A line with more programs than that is a rare thing. */
const namedRulesMax = 16;
const moreFollows = 'there is more output than could be read in time: read on from the cursor';

export async function exec(
  context: ToolsContext,
  params: ExecParams,
  call: ToolCall,
): Promise<ExecResult> {
  call.signal.throwIfAborted();
  const yieldMs = params.yieldMs ?? execLimits.yieldMs.usual;
  using limit = startTimeLimit(context.clock, yieldMs, [call.signal, context.signal]);
  const plan = await planExec(context, params, { call, patience: limit.signal });
  throwIfGone(context, call);
  using _place = context.room?.take({
    runId: plan.request.runId,
    account: call.account,
    requester: call.requester,
    journalBytesMax: call.extras?.journalBytesMax,
  });
  const proposal = proposalOf(context, plan, { params, call, patience: limit.signal });
  const verdict = await context.gatekeeper.check(proposal);
  call.signal.throwIfAborted();
  if (verdict.kind === 'denied') {
    return { status: 'denied', cause: 'policy', rule: verdict.rule, by: verdict.by };
  }
  if (verdict.kind === 'absent') throw noProgram(verdict.program, params);
  if (verdict.kind === 'held') {
    const { approvalId } = verdict;
    context.log.event('approval.waiting', { approvalId, runId: plan.request.runId });
    watchHeld(context, approvalId);
    const limits = timeLimitOf({ deadlines: deadlinesOfRequest(plan.request) });
    return { ...pendingResult(context, { ...verdict, runId: plan.request.runId }), ...limits };
  }
  /* Awaited here: the limit ends with this function. */
  const { rule, rules } = verdict;
  const { runId, action } = plan.request;
  await call.beforeStart?.({ runId, action, rule, rules });
  throwIfGone(context, call);
  return await runAndWait(context, allowedRequest(plan.request, verdict), {
    call,
    limit,
    isBackground: params.background === true,
    hasUsualLimit: params.timeoutSeconds === undefined,
  });
}

function noProgram(program: string, { argv }: ExecParams): ToolsError {
  const isLine = argv?.length === 1 && /\s/.test(program);
  return new ToolsError('program-not-found', `there is no program ${JSON.stringify(program)}`, {
    detail: { program },
    hint: isLine
      ? 'In argv the program and each argument is a text of its own; a whole line goes into command. Nothing was started.'
      : 'A name is searched in PATH, a path taken as it is. Nothing was started, and nobody was asked.',
  });
}

function allowedRequest(request: StoredRequest, { confine, rules }: Allowed): StoredRequest {
  const names = rules.slice(0, namedRulesMax).map((ruleId) => `rule:${ruleId}`);
  return {
    ...request,
    ...(names.length === 0 ? {} : { allowedBy: names.join(',') }),
    ...(confine === undefined ? {} : { confine: { grants: [...confine.grants] } }),
  };
}

/*
 * The directory of a command that names none. A person chose it. The host's own directory belongs to our user, so a command of
 * another user has no default.
 */
function workingTreeOf(
  { directory }: ToolCall,
  { request, host }: Pick<ExecPlan, 'request' | 'host'>,
): string | undefined {
  if (directory !== undefined) return directory;
  return request.action.runAs === undefined ? host.homeDirectory : undefined;
}

interface Asked {
  readonly params: ExecParams;
  readonly call: ToolCall;
  readonly patience: AbortSignal;
}

function proposalOf({ shield }: ToolsContext, plan: ExecPlan, asked: Asked): Proposal {
  const { request, host, user } = plan;
  const { call, patience, params } = asked;
  const { security, ask } = params;
  return {
    seen: () => seenByRequest(shield, request, user),
    action: request.action,
    runId: request.runId,
    searchPath: host.searchPath,
    isHostFullyAllowed: host.isFullyAllowed,
    directory: workingTreeOf(call, { request, host }),
    patience,
    /* Made only for what is held: most commands are not. */
    get request() {
      return formatRequest(request);
    },
    labels: request.labels,
    requester: request.requester,
    credential: call.credential,
    asker: call.asker,
    stricter: { security, ask },
  };
}

type Allowed = Extract<Verdict, { kind: 'allowed' }>;

interface Waiting {
  readonly call: ToolCall;
  readonly limit: TimeLimit;
  readonly isBackground: boolean;
  /* The caller named none. */
  readonly hasUsualLimit: boolean;
}

async function runAndWait(
  context: ToolsContext,
  request: StoredRequest,
  waiting: Waiting,
): Promise<ExecResult> {
  const { call, limit } = waiting;
  const isIdPromised = call.runId !== undefined;
  const starting = beginStart(context, request, { isIdPromised });
  const started = await unlessAborted(starting, limit.signal).catch(async (error: unknown) => {
    /* The caller gets an error and never the id, so the run is not shown. */
    if (hasCode(error, 'workdir-unusable')) await context.supervisor.remove(request.runId as RunId);
    throw error;
  });
  if (call.signal.aborted) {
    endWhenStarted(context, { starting, runId: request.runId }, call);
    throw call.signal.reason;
  }
  throwIfGone(context, call);
  if (started === undefined) return stillStarting(request, waiting);
  if (started.kind === 'never-started') return neverStarted(context, started.runId);
  const { run, facts } = started;
  if (waiting.isBackground) return runningResult(run, facts, emptyReading(context, run, call));
  return waitForEnd(context, started, waiting);
}

async function waitForEnd(
  context: ToolsContext,
  { run, facts }: Extract<Started, { kind: 'started' }>,
  { call, limit, hasUsualLimit }: Waiting,
): Promise<ExecResult> {
  const reading = emptyReading(context, run, call);
  const { exit, isAllRead } = await watchRun(
    { ...reading, onEvent: progressOf(context, call) },
    limit,
  );
  if (exit !== undefined) {
    const collected = reading.collector.result(isAllRead);
    const notes = isAllRead ? collected.notes : [...collected.notes, moreFollows];
    return finishedResult(facts, exit, { ...collected, notes });
  }
  if (call.signal.aborted) {
    await run.cancel('manual-cancel', call.requester);
    throw call.signal.reason;
  }
  throwIfGone(context, call);
  const running = runningResult(run, facts, reading);
  return { ...running, notes: [...running.notes, ...limitNotes(hasUsualLimit)] };
}

interface Watched {
  /* Undefined when the limit came first. */
  readonly exit: RunExit | undefined;
  readonly isAllRead: boolean;
}

async function watchRun(reading: Reading, limit: TimeLimit): Promise<Watched> {
  const ended = endOf(reading.run, limit.signal);
  await within(ended, { clock: reading.clock, ms: headStartMs, late: () => undefined });
  const stop = new AbortController();
  const following = followOutput({ ...reading, signal: stop.signal }).then(() => true);
  /* A failure is handled below; without this it would count as unhandled until then. */
  following.catch(() => undefined);
  try {
    const exit = await ended;
    if (exit === undefined) return { exit, isAllRead: false };
    /* It ends by itself at the last byte of the command, if there is not more than can be read in time. */
    const isAllRead = (await unlessAborted(following, limit.signal)) === true;
    return { exit, isAllRead };
  } finally {
    stop.abort(answered);
    await following;
  }
}

async function endOf(run: ManagedRun, signal: AbortSignal): Promise<RunExit | undefined> {
  try {
    return await run.wait(signal);
  } catch (error) {
    /* Taken over by another owner: it goes on there, and can be polled. */
    if (signal.aborted || hasCode(error, 'epoch-stale', 'lease-lost')) return undefined;
    throw error;
  }
}

function emptyReading({ clock }: ToolsContext, run: ManagedRun, call: ToolCall): Reading {
  const collector = createOutputCollector(outputStart, call.outputCharactersMax);
  return { clock, run, collector, signal: call.signal };
}

function progressOf({ log }: ToolsContext, { onOutput }: ToolCall): Reading['onEvent'] {
  if (onOutput === undefined) return undefined;
  const cleaners = { stdout: createTextCleaner(), stderr: createTextCleaner() };
  return (event) => {
    if (event.kind !== 'output') return;
    const text = cleaners[event.stream].push(event.bytes);
    if (text === '') return;
    try {
      onOutput(text);
    } catch (error) {
      /* A mistake of the listener must not affect the command and its result. */
      log.warn('exec.progress-failed', { error });
    }
  };
}

function limitNotes(isUsualInForeground: boolean): readonly string[] {
  return isUsualInForeground ? [keepsUsualLimit] : [];
}

type RunningResult = Extract<ExecResult, { readonly status: 'running' }>;

function runningResult(run: ManagedRun, facts: RunFacts, { collector }: Reading): RunningResult {
  const { output, notes, ...rest } = collector.result(false);
  const startedAtMs = run.snapshot().startedAtMs;
  return {
    status: 'running',
    runId: run.runId,
    pid: run.pid,
    ...(startedAtMs === undefined ? {} : { startedAt: new Date(startedAtMs).toISOString() }),
    ...timeLimitOf({ deadlines: facts.deadlines, startedAtMs }),
    tail: output,
    ...rest,
    notes: [...notesOf(facts), ...notes],
  };
}

function stillStarting(
  request: StoredRequest,
  { isBackground, hasUsualLimit }: Waiting,
): ExecResult {
  const isHere = request.action.host === localHost;
  const slow = `it has not started yet: ${isHere ? 'the machine is slow' : 'it waits for its turn on the host, or the host is slow'}`;
  const notes = [slow, ...limitNotes(!isBackground && hasUsualLimit)];
  const limits = timeLimitOf({ deadlines: deadlinesOfRequest(request) });
  const { runId } = request;
  return { status: 'running', runId, ...limits, tail: '', cursor: outputStart, notes };
}

function neverStarted({ supervisor }: ToolsContext, runId: string): ExecResult {
  const record = supervisor.get(runId as RunId);
  const exit = record?.exit;
  if (record === undefined || exit === undefined) throw unknownEnd(runId);
  return finishedResult(record, exit, { output: '', cursor: outputStart, notes: [] });
}

function unknownEnd(runId: string): ToolsError {
  return new ToolsError('unknown-run', `run ${runId} did not start, and its record is gone`, {
    detail: { runId },
  });
}

/* The caller gave up during the start: what waits for its turn is not started, and the rest is ended as soon as it has. */
function endWhenStarted(
  { log, starting: begun }: ToolsContext,
  { starting, runId }: { readonly starting: Promise<Started>; readonly runId: string },
  call: ToolCall,
): void {
  begun.get(runId)?.giveUp();
  const end = async (): Promise<void> => {
    const started = await starting;
    if (started.kind === 'started') await started.run.cancel('manual-cancel', call.requester);
  };
  end().catch((error: unknown) => {
    if (!hasCode(error, 'run-ended')) log.warn('exec.cancel-failed', { error });
  });
}

export function throwIfGone({ signal }: ToolsContext, call: ToolCall): void {
  call.signal.throwIfAborted();
  if (signal.aborted) throw new ToolsError('tools-closed', 'the tools are closed');
}

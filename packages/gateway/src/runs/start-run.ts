/*
 * Starting a run for a caller, once per idempotency key.
 *
 * Stages: 1 if the key has a run, that run is the answer · 2 a start under the same key that is under way is waited for · 3 the
 * tools decide · 4 the start is audited · 5 the tools start it, or what was held or denied is audited. The id is known before the start. So if the gateway is killed at any moment,
 * the same request finds the same run, started or held; if there is none, it starts it.
 */
import { type Clock, hasCode, type Log, type Random } from '@clawdfather/kit';
import {
  execLimits,
  type ExecParams,
  type ExecResult,
  type PollResult,
  type RunExtras,
} from '@clawdfather/protocol';
import {
  liveRunStates,
  outputStart,
  type RunId,
  type RunRecord,
  unclaimedStage,
} from '@clawdfather/supervisor';
import {
  cliBackend,
  localHost,
  nameLabel,
  requestLabel,
  traceLabel,
} from '@clawdfather/supervisor/origins';
import type { Store } from '@clawdfather/store';
import { nameTaken, type ToolCall } from '@clawdfather/tools';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';
import { formatTime } from '../http/format-time.ts';
import type { Hosts } from '../hosts/open-hosts.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { findHost } from './find-host.ts';
import { findRun } from './find-run.ts';
import type { Runs } from './open-runs.ts';
import { recordStart, recordUnstarted } from './run-audit.ts';
import { type Asking, callOf, toolsFor } from './run-call.ts';
import { runIdOfKey } from './run-id-of-key.ts';
import { waitForEnd } from './wait-for-end.ts';
import { kindsOf } from './whose-runs.ts';

export interface StartDeps {
  readonly runs: Runs;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly sessions: Pick<Sessions, 'assertOpen'>;
  /* How a program of this machine works on the host of its session. */
  readonly hosts?: Pick<Hosts, 'binding'> | undefined;
}

export interface StartOptions {
  /* The caller's key, and a hash of the request: the same twice is one run. */
  readonly once?: { readonly key: string; readonly request: string } | undefined;
  /* The session of ours that the run belongs to. */
  readonly sessionId?: string | undefined;
  /* What a person asked for beside the command: a name, limits. */
  readonly extras?: RunExtras | undefined;
  /* Ends the command while the caller waits for it. By default nothing does, not even a lost connection. */
  readonly giveUp?: AbortSignal | undefined;
  readonly onOutput?: ToolCall['onOutput'] | undefined;
}

interface StartRequest extends StartOptions {
  readonly asking: Asking;
  readonly params: ExecParams;
}

export type StartRun = (request: StartRequest) => Promise<ExecResult>;

const never = new AbortController().signal;

interface UnderWay {
  readonly request: string;
  readonly result: Promise<ExecResult>;
}

export function createStartRun(deps: StartDeps): StartRun {
  const underWay = new Map<string, UnderWay>();
  return async (request) => {
    const { accountId } = request.asking.caller;
    // Also for a resend, which may give the run its input. The tools ask again for what they start.
    if ((request.params.host ?? localHost) === localHost) deps.runs.users.of(accountId);
    const { once } = request;
    if (once === undefined) return start(deps, request, { runId: deps.random.id() });
    const runId = runIdFor(deps.runs, accountId, once.key);
    const keyed = { runId, request: once.request };
    const begun = underWay.get(runId);
    if (begun !== undefined) {
      if (begun.request !== keyed.request) throw keyReused();
      return begun.result;
    }
    const result = startOnce(deps, request, keyed);
    underWay.set(runId, { request: keyed.request, result });
    try {
      return await result;
    } finally {
      underWay.delete(runId);
    }
  };
}

/* Each attempt is lost only if a gateway is killed within the same few microseconds of this request. */
const attemptsMax = 100;

/*
 * The run of a key. If a gateway was killed before it started anything, that run has proven to have done nothing, and the next
 * attempt with the key gets a new run.
 */
function runIdFor({ supervisor }: Runs, account: string, key: string): string {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const runId = runIdOfKey(account, key, attempt);
    const exit = supervisor.get(runId as RunId)?.exit;
    if (exit?.failure?.stage !== unclaimedStage) return runId;
  }
  throw keyReused(`it was begun ${attemptsMax} times and never started`);
}

interface Asked {
  readonly runId: string;
  /* Of a request with a key. */
  readonly request?: string;
}

async function startOnce(
  deps: StartDeps,
  request: StartRequest,
  asked: Required<Asked>,
): Promise<ExecResult> {
  const record = deps.runs.supervisor.get(asked.runId as RunId);
  const known = record?.labels[requestLabel] ?? heldRequest(deps.runs, asked.runId);
  if (record === undefined && known === undefined) return start(deps, request, asked);
  if (known !== asked.request) throw keyReused();
  if (record?.removedAtMs !== undefined) throw keyReused('its run was removed');
  return answerAgain(deps, request, { ...asked, record });
}

/* Kept with the approval, also when it is over and the request itself is dropped. */
function heldRequest({ gatekeeper }: Runs, runId: string): string | undefined {
  const held = gatekeeper.approvalOf(runId);
  return held === undefined ? undefined : (held.labels[requestLabel] ?? '');
}

function keyReused(why?: string): ApiError {
  return new ApiError('key_reused', why === undefined ? undefined : `the key is used: ${why}`);
}

async function start(
  deps: StartDeps,
  request: StartRequest,
  { runId, request: hash }: Asked,
): Promise<ExecResult> {
  const { asking, params, extras } = request;
  const { caller, origin } = asking;
  const hostSession = await checkSession(deps, request);
  if (extras?.name !== undefined) checkNameIsFree(deps.runs, caller, extras.name);
  const labels = {
    [traceLabel]: origin.traceId,
    ...(hash === undefined ? {} : { [requestLabel]: hash }),
  };
  try {
    const beforeStart: ToolCall['beforeStart'] = (begun) => recordStart(deps, asking, begun);
    const bound = await boundTo(deps, request);
    const own = { labels, beforeStart, hostSession, ...bound };
    const call = { ...startCall(request, runId), ...own };
    const result = await toolsFor(deps.runs, caller).actions.exec(params, call);
    await recordUnstarted(deps, asking, { runId, params, result });
    return result;
  } catch (error) {
    if (!hasCode(error, 'unknown-run')) throw error;
    // There is no record that says why, for example because the disk is full.
    throw new ApiError('unavailable', 'it could not be started', { cause: error });
  }
}

/*
 * Its session is open and, for a command on a host, one with that host. Undefined: it names none, or runs on this machine.
 * Throws `not_found`, `expired`, `validation_error`.
 */
async function checkSession(
  { sessions, store }: StartDeps,
  { asking: { caller }, params, sessionId }: StartRequest,
): Promise<string | undefined> {
  if (sessionId === undefined) return undefined;
  const { accountId } = caller;
  const { connectionId } = await sessions.assertOpen(accountId, sessionId);
  const { host = localHost } = params;
  if (host === localHost) return undefined;
  const { id, name } = await findHost(store, accountId, host);
  if (connectionId === id) return sessionId;
  throw new ApiError('validation_error', `the session ${sessionId} is not one on ${name}`, {
    detail: { reason: 'session-elsewhere', sessionId, host: name },
    hint: 'Name a session on this host, or leave sessionId out: the command then uses one that is open there, or opens one.',
  });
}

/*
 * Only for what a person starts. In a shield the master's socket is there if the host's policy lets it in; else, with tools, the way
 * leads through these.
 */
async function boundTo(
  { hosts, runs }: StartDeps,
  { asking: { caller }, params, sessionId, extras }: StartRequest,
): Promise<Pick<ToolCall, 'sessionEnvironment' | 'letIn'>> {
  const isHere = (params.host ?? localHost) === localHost;
  if (sessionId === undefined || !isHere || caller.kind !== 'device') return {};
  const binding = await hosts?.binding(caller.accountId, sessionId);
  if (binding === undefined) return {};
  const hasTools = extras?.tools === true;
  const sessionEnvironment = binding.environment();
  if (!hasTools && extras?.shield !== true) return { sessionEnvironment };
  const letIn = await binding.letIn();
  if (letIn !== undefined) return { sessionEnvironment, letIn };
  return hasTools ? { sessionEnvironment: binding.environment(runs.toolLaunch) } : {};
}

/* Also against the runs that only this caller sees together; the supervisor's scope decides between two starts at once. */
function checkNameIsFree({ supervisor }: Runs, caller: Caller, name: string): void {
  const filter = { anyOf: kindsOf(caller), labels: { [nameLabel]: name }, states: liveRunStates };
  if (supervisor.list({ ...filter, limit: 1 }).length > 0) throw nameTaken(name);
}

function startCall(request: StartRequest, runId: string): ToolCall {
  const { asking, sessionId, giveUp = never, onOutput, extras } = request;
  const call = callOf(asking, asking.caller.accountId, giveUp);
  return {
    ...call,
    runId,
    extras,
    // What the owner of the machine starts here and on the command line has one set of names.
    nameOwner: asking.caller.isOwner ? cliBackend : undefined,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(onOutput === undefined ? {} : { onOutput }),
  };
}

interface Known extends Asked {
  readonly record: RunRecord | undefined;
}

/* What has become of it by now; as long as the first request would have waited. */
async function answerAgain(
  deps: StartDeps,
  request: StartRequest,
  { runId, record }: Known,
): Promise<ExecResult> {
  const { asking, params } = request;
  if (record !== undefined) giveInputAgain(deps, params, record);
  const forMs = params.background === true ? 0 : (params.yieldMs ?? execLimits.yieldMs.usual);
  const found = findRun(deps.runs, { caller: asking.caller }, runId);
  await waitForEnd(deps, { found, asking }, { signal: never, forMs });
  const { poll } = toolsFor(deps.runs, asking.caller).actions;
  const polled = await poll({ runId, cursor: outputStart }, startCall(request, runId));
  return asExecResult(polled, record);
}

/* At its offset, so it does nothing where the first attempt got that far. */
function giveInputAgain(
  { runs, log }: StartDeps,
  { stdin = '', eof: isEof = false }: ExecParams,
  { runId, exit, mode }: RunRecord,
): void {
  if (exit !== undefined || (stdin === '' && !isEof)) return;
  const give = async (): Promise<void> => {
    const run = await runs.supervisor.attach(runId);
    await run.write(stdin, { offset: 0 });
    // To a terminal, the end of input would be another key press.
    if (isEof && mode === 'child') await run.end();
  };
  give().catch((error: unknown) => {
    if (!hasCode(error, 'not-running', 'stdin-closed', 'supervisor-closed')) {
      log.warn('run.input-failed', { runId, error });
    }
  });
}

function asExecResult(result: PollResult, record: RunRecord | undefined): ExecResult {
  if (result.status !== 'running') return result;
  const { output, waitingForInput: _waiting, retryInMs: _retry, ...rest } = result;
  const startedAtMs = record?.startedAtMs;
  return {
    ...rest,
    tail: output,
    ...(startedAtMs === undefined ? {} : { startedAt: formatTime(startedAtMs) }),
  };
}

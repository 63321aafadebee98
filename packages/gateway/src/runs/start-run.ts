/*
 * Starting a run for a request, once per idempotency key.
 *
 * Stages: the key's run, if it is known, answers for itself → what is being started under the same key right now is waited for →
 * the attempt is audited → the tools decide and start. The id is known before the start, so whenever the gateway is killed, the
 * same request finds the same run: started, held, or not at all, and then it starts.
 */
import { type Clock, hasCode, type Log, type Random } from '@clawdfather/kit';
import {
  execLimits,
  type ExecParams,
  type ExecResult,
  type PollResult,
} from '@clawdfather/protocol';
import type { Api } from '@clawdfather/protocol/api';
import {
  liveRunStates,
  outputStart,
  type RunId,
  type RunRecord,
  unclaimedStage,
} from '@clawdfather/supervisor';
import type { Store } from '@clawdfather/store';
import { nameLabel, nameTaken, type ToolCall } from '@clawdfather/tools';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';
import { formatTime } from '../http/format-time.ts';
import { auditOf, type Call } from '../http/handlers.ts';
import { hashRequest, parseIdempotencyKey } from '../http/idempotency-key.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { findRun } from './find-run.ts';
import type { Runs } from './open-runs.ts';
import { runIdOfKey } from './run-id-of-key.ts';
import { localHost, startCall, toolsFor } from './run-call.ts';
import { traceLabel } from './trace-label.ts';
import { waitForEnd } from './wait-for-end.ts';
import { kindsOf } from './whose-runs.ts';

export interface StartDeps {
  readonly runs: Runs;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly sessions: Pick<Sessions, 'assertOpen'>;
}

type StartRequest = Call<Api['runs']['create']>;

export type StartRun = (request: StartRequest) => Promise<ExecResult>;

/* Where the run keeps which request it was. */
const requestLabel = 'request';

interface UnderWay {
  readonly request: string;
  readonly result: Promise<ExecResult>;
}

export function createStartRun(deps: StartDeps): StartRun {
  const underWay = new Map<string, UnderWay>();
  return async (request) => {
    // Also for a resend, which may give the run its input. The tools ask again for what they start.
    if ((request.body.host ?? localHost) === localHost)
      deps.runs.users.of(request.caller.accountId);
    const key = parseIdempotencyKey(request.header('idempotency-key'));
    if (key === undefined) return start(deps, request, { runId: deps.random.id() });
    const runId = runIdFor(deps.runs, request.caller.accountId, key);
    const keyed = { runId, request: hashRequest(request.body) };
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

/* Each is a gateway that was killed in the same few microseconds of the same request. */
const attemptsMax = 100;

/*
 * The key's run. One that a gateway was killed over before anything was started is proven to have done nothing, so the key's
 * next attempt is a run of its own.
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
  { runs, store, sessions }: StartDeps,
  request: StartRequest,
  { runId, request: hash }: Asked,
): Promise<ExecResult> {
  const { caller, traceId } = request;
  const {
    sessionId,
    name,
    labels: ownLabels,
    graceMs,
    limits,
    nice,
    journalBytesMax,
    ...body
  } = request.body;
  if (sessionId !== undefined) await sessions.assertOpen(caller.accountId, sessionId);
  if (name !== undefined) checkNameIsFree(runs, caller, name);
  // Before it happens: a start that nobody survived to write down would be one that nobody can find.
  const entry = auditOf(request, 'run.start', { host: body.host ?? localHost });
  await store.forAccount(caller.accountId).auditLog.record({ ...entry, target: runId });
  const labels = {
    [traceLabel]: traceId,
    ...(hash === undefined ? {} : { [requestLabel]: hash }),
  };
  const extras = { name, labels: ownLabels, graceMs, limits, nice, journalBytesMax };
  const call = { ...startCall({ caller, runId, labels, sessionId }), extras };
  try {
    return await toolsFor(runs, caller).actions.exec(
      { ...body, background: isBackground(body) },
      call,
    );
  } catch (error) {
    if (!hasCode(error, 'unknown-run')) throw error;
    // There is not even a record that says why: no room for one, say.
    throw new ApiError('unavailable', 'it could not be started', { cause: error });
  }
}

/* Also against the runs that only this caller sees together; the supervisor's scope decides between two starts at once. */
function checkNameIsFree({ supervisor }: Runs, caller: Caller, name: string): void {
  const filter = { anyOf: kindsOf(caller), labels: { [nameLabel]: name }, states: liveRunStates };
  if (supervisor.list({ ...filter, limit: 1 }).length > 0) throw nameTaken(name);
}

function isBackground({ background, yieldMs }: ExecParams): boolean {
  return background ?? yieldMs === undefined;
}

interface Known extends Asked {
  readonly record: RunRecord | undefined;
}

/* What has become of it by now; as long as the first request would have waited. */
async function answerAgain(
  deps: StartDeps,
  { caller, body }: StartRequest,
  { runId, record }: Known,
): Promise<ExecResult> {
  const call: ToolCall = startCall({ caller, runId, labels: {} });
  if (record !== undefined) giveInputAgain(deps, body, record);
  const forMs = isBackground(body) ? 0 : (body.yieldMs ?? execLimits.yieldMs.usual);
  const found = findRun(deps.runs, caller, runId);
  await waitForEnd(deps, found, { caller, signal: call.signal, forMs });
  const tools = toolsFor(deps.runs, caller);
  const polled = await tools.actions.poll({ runId, cursor: outputStart }, call);
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
    // To a terminal that would be another key.
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

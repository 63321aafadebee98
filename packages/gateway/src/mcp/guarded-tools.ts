/*
 * The tools as one client over HTTP gets them: for its account, by its token's scopes, with an entry in the audit log for what
 * changes something, judged as an agent's.
 *
 * A token that may only look is shown both tools all the same: `process` has actions for it, and a refusal that says which scope is
 * missing helps more than a tool that is not there.
 */
import type { Random } from '@clawdfather/kit';
import type { ProcessParams } from '@clawdfather/protocol';
import type { Store } from '@clawdfather/store';
import type { RunId, RunRecord } from '@clawdfather/supervisor';
import { dispatch, type ToolCall, type Tools } from '@clawdfather/tools';
import { ApiError } from '../http/api-error.ts';
import { actorOf, type Caller } from '../http/caller.ts';
import { auditOf } from '../http/handlers.ts';
import type { Runs } from '../runs/open-runs.ts';
import { checkMayDrive, whyMayNotDrive } from '../runs/may-drive.ts';
import { checkMayEnd, endableOf, endableOfHeld, mayEnd } from '../runs/may-end.ts';
import { accountOf } from '../runs/whose-runs.ts';
import { localHost } from '../runs/run-call.ts';
import { traceLabel } from '../runs/trace-label.ts';
import { mayChange } from './admit-agent.ts';
import { currentRequest, type McpRequest } from './mcp-request.ts';

export interface GuardedToolsDeps {
  readonly runs: Runs;
  readonly store: Store;
  readonly random: Random;
}

export interface ClientWays {
  /* 2026-07-28: closing a request is how it is cancelled. */
  readonly cancelsByLeaving: boolean;
  /* The client has heard of this run, or should have. */
  readonly onRun: (runId: string, isLost: boolean) => void;
}

type Action = ProcessParams['action'];

const looks: readonly Action[] = ['list', 'poll', 'log', 'screen'];
const ends: readonly Action[] = ['kill', 'clear', 'remove'];
/* As over the API; what is typed into a run is in its journal. */
const audited: Readonly<Partial<Record<Action, string>>> = {
  signal: 'run.signal',
  kill: 'run.cancel',
  clear: 'run.remove',
  remove: 'run.remove',
};

export function createGuardedTools(
  { runs, store, random }: GuardedToolsDeps,
  ways: ClientWays,
): Pick<Tools, 'exec' | 'process'> {
  const record = (request: McpRequest, action: string, target: string): Promise<unknown> =>
    store
      .forAccount(request.caller.accountId)
      .auditLog.record({ ...auditOf(request, action, { via: 'mcp' }), target });
  return {
    exec: async (params, call) => {
      const request = currentRequest();
      checkMayChange(request.caller, 'exec');
      // Refused before it is written down as a start; the tools ask again for what they start.
      if ((params.host ?? localHost) === localHost) runs.users.of(request.caller.accountId);
      const runId = random.id();
      // Before it happens: a start that nobody survived to write down would be one that nobody can find.
      await record(request, 'run.start', runId);
      const labels = { [traceLabel]: request.traceId };
      const asked = { ...callOf(request, call, ways), runId, labels };
      const result = await runs.agentTools.actions.exec(params, asked);
      if (result.status !== 'denied') ways.onRun(runId, request.isLost());
      return result;
    },
    process: async (params, call) => {
      const request = currentRequest();
      if (!looks.includes(params.action)) {
        checkMayChange(request.caller, `process ${params.action}`);
        if ('runId' in params) checkNamed(runs, request.caller, params);
      }
      const action = audited[params.action];
      if (action !== undefined && 'runId' in params) await record(request, action, params.runId);
      const asked = callOf(request, call, ways);
      const seen = looks.includes(params.action) ? {} : seenFor(request.caller, params);
      const result = await dispatch(runs.agentTools.actions, params, { ...asked, ...seen });
      if (result.action === 'poll' && result.runId !== undefined) ways.onRun(result.runId, false);
      return result;
    },
  };
}

/* Runs of a token belong together: whoever comes back with it, in whatever revision, reads on where it was. */
export function sessionIdOf({ id }: Pick<Caller, 'id'>): string {
  return `mcp:${id}`;
}

type Named = Pick<ProcessParams, 'action'>;

/* Its account's runs that this may be done to: others can be looked at, and are not there for anything else. */
function seenFor(caller: Caller, { action }: Named): Pick<ToolCall, 'sees' | 'seesHeld'> {
  const actor = actorOf(caller);
  const isEnding = ends.includes(action);
  const may = (record: RunRecord): boolean =>
    isEnding ? mayEnd(actor, endableOf(record)) : whyMayNotDrive(caller, record) === undefined;
  return {
    sees: (record) =>
      accountOf(record) === caller.accountId && record.removedAtMs === undefined && may(record),
    seesHeld: (approval) => !isEnding || mayEnd(actor, endableOfHeld(approval)),
  };
}

/* The same in words, for a client that names the run whole. */
function checkNamed(
  runs: Runs,
  caller: Caller,
  { action, runId }: Named & { readonly runId: string },
): void {
  const record = runs.supervisor.get(runId as RunId);
  if (record === undefined || accountOf(record) !== caller.accountId) return;
  if (ends.includes(action)) checkMayEnd(actorOf(caller), [endableOf(record)]);
  else checkMayDrive(caller, record);
}

function callOf(request: McpRequest, call: ToolCall, ways: ClientWays): ToolCall {
  const { caller, left } = request;
  return {
    ...call,
    signal: ways.cancelsByLeaving ? AbortSignal.any([call.signal, left]) : call.signal,
    // The name is the client's own claim; the token is what we know.
    requester: `${call.requester} ${actorOf(caller)}`,
    credential: actorOf(caller),
  };
}

function checkMayChange(caller: Caller, what: string): void {
  if (mayChange(caller)) return;
  throw new ApiError('forbidden', `${what} needs the scope run, which this token has not`, {
    detail: { needs: 'run', has: caller.scopes },
    hint: 'It can list, poll, log and screen. Somebody has to make a token with the scope run',
  });
}

/*
 * The tools as one client over HTTP gets them: the caller's actions (runs/caller-runs.ts), for its account, in the words of the
 * tools.
 *
 * A token that may only look is shown both tools all the same: `process` has actions for it, and a refusal that says which scope is
 * missing helps more than a tool that is not there.
 */
import { dispatch, type ToolCall, type Tools } from '@clawdfather/tools';
import { actorOf, type Caller } from '../http/caller.ts';
import type { CallerRuns, RunsFor } from '../runs/caller-runs.ts';
import { currentRequest, type McpRequest } from './mcp-request.ts';

export interface GuardedToolsDeps {
  readonly runsFor: RunsFor;
}

export interface ClientWays {
  /* 2026-07-28: closing a request is how it is cancelled. */
  readonly cancelsByLeaving: boolean;
  /* The client has heard of this run, or should have. */
  readonly onRun: (runId: string, isLost: boolean) => void;
}

export function createGuardedTools(
  { runsFor }: GuardedToolsDeps,
  ways: ClientWays,
): Pick<Tools, 'exec' | 'process'> {
  const runsOf = (request: McpRequest, call: ToolCall, signal: AbortSignal): CallerRuns => {
    const { caller, ip, traceId } = request;
    return runsFor(caller, {
      ip,
      traceId,
      signal,
      via: 'mcp',
      // The name is the client's own claim; the token is what we know.
      requester: `${call.requester} ${actorOf(caller)}`,
      toolSession: sessionIdOf(caller),
      reach: 'account',
      takesBeginnings: true,
      outputCharactersMax: call.outputCharactersMax,
    });
  };
  const signalOf = ({ left }: McpRequest, { signal }: ToolCall): AbortSignal =>
    ways.cancelsByLeaving ? AbortSignal.any([signal, left]) : signal;
  return {
    exec: async (params, call) => {
      const request = currentRequest();
      const giveUp = signalOf(request, call);
      const { onOutput } = call;
      const runs = runsOf(request, call, giveUp);
      const result = await runs.start(params, { giveUp, onOutput });
      if (result.status !== 'denied') ways.onRun(result.runId, request.isLost());
      return result;
    },
    process: async (params, call) => {
      const request = currentRequest();
      const runs = runsOf(request, call, signalOf(request, call));
      const result = await dispatch(runs, params, call);
      if (result.action === 'poll' && result.runId !== undefined) ways.onRun(result.runId, false);
      if ('askedAgain' in result && result.askedAgain !== undefined) {
        ways.onRun(result.askedAgain.runId, false);
      }
      return result;
    },
  };
}

/* Runs of a token belong together: a client that comes back with it, in any revision, reads on where it was. */
export function sessionIdOf({ id }: Pick<Caller, 'id'>): string {
  return `mcp:${id}`;
}

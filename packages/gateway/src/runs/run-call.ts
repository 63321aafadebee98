/*
 * A request as a call of the tools.
 *
 * A lost connection ends nothing: whoever comes back finds the run. So what is started is not bound to the request's life, and
 * only what merely looks or waits is.
 */
import type { RunRecord } from '@clawdfather/supervisor';
import type { ToolCall, Tools } from '@clawdfather/tools';
import { actorOf, type Caller } from '../http/caller.ts';
import type { Runs } from './open-runs.ts';
import { accountOf } from './whose-runs.ts';

/* Of a command that names no host: the gateway's own machine. */
export const localHost = 'local';

const never = new AbortController().signal;
/* Of runs over HTTP that belong to no session. */
const noSession = 'api';

export function toolsFor({ personTools, agentTools }: Runs, caller: Caller): Tools {
  return caller.kind === 'device' ? personTools : agentTools;
}

export interface Starting {
  readonly caller: Caller;
  readonly runId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly sessionId?: string | undefined;
}

export function startCall({ caller, runId, labels, sessionId }: Starting): ToolCall {
  return {
    ...callOf(caller, caller.accountId, never),
    runId,
    labels,
    sessionId: sessionId ?? noSession,
    // A person may decide what the same person asked for; what a token asked for, it never does.
    credential: caller.kind === 'token' ? actorOf(caller) : undefined,
  };
}

/* About one run that the caller was found to see. */
export function callAbout(caller: Caller, record: RunRecord, signal: AbortSignal): ToolCall {
  return {
    ...callOf(caller, accountOf(record) ?? caller.accountId, signal),
    sees: ({ runId }) => runId === record.runId,
  };
}

export function callOf(caller: Caller, account: string, signal: AbortSignal): ToolCall {
  return { signal, requester: actorOf(caller), account, sessionId: noSession };
}

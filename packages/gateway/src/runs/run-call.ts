/*
 * How a request about runs came, and what the tools are told of it.
 *
 * A lost connection ends nothing: a client that comes back finds the run. So a start over HTTP does not end with its
 * request; only looking and waiting do.
 */
import type { RunRecord } from '@clawdfather/supervisor';
import { apiSession } from '@clawdfather/supervisor/origins';
import type { ToolCall, Tools } from '@clawdfather/tools';
import { actorOf, type Caller } from '../http/caller.ts';
import type { FoundRun } from './find-run.ts';
import type { Runs } from './open-runs.ts';
import { accountOf, type Reach } from './whose-runs.ts';

export interface RequestOrigin {
  readonly ip: string;
  readonly traceId: string;
  /* Ends the waiting for an answer; the work goes on. */
  readonly signal: AbortSignal;
  /* Said in the audit log; absent for the API. */
  readonly via?: 'mcp';
  /* Who asked, as the record of a run has it. Default: the caller's device or token. */
  readonly requester?: string;
  /* Of runs that belong to no session of ours: what they have in common. Default: that they came over the API. */
  readonly toolSession?: string;
  /* Default: all that the caller sees on this machine. */
  readonly reach?: Reach;
  /* True: a run may be named by a unique beginning of its id. */
  readonly takesBeginnings?: boolean;
  readonly outputCharactersMax?: number | undefined;
}

/* Who asks, and how the request came. */
export interface Asking {
  readonly caller: Caller;
  readonly origin: RequestOrigin;
  /* Of long work: resolves when its next piece may be done. */
  readonly breathe?: () => Promise<void>;
}

export function toolsFor({ personTools, agentTools }: Runs, caller: Caller): Tools {
  return caller.kind === 'device' ? personTools : agentTools;
}

export function callOf(
  { caller, origin, breathe }: Asking,
  account: string = caller.accountId,
  signal: AbortSignal = origin.signal,
): ToolCall {
  return {
    signal,
    requester: origin.requester ?? actorOf(caller),
    account,
    sessionId: origin.toolSession ?? apiSession,
    outputCharactersMax: origin.outputCharactersMax,
    breathe,
    // A person may decide about their own request; a token may never decide about its own.
    credential: caller.kind === 'token' ? actorOf(caller) : undefined,
    asker: { name: caller.name, isOwner: caller.isOwner },
  };
}

/* About one run that the caller sees. */
export function callAbout(asking: Asking, found: FoundRun): ToolCall {
  if (found.kind === 'run') return callAboutRecord(asking, found.record);
  const { account } = found.kind === 'held' ? found.approval : found;
  return callOf(asking, account);
}

function callAboutRecord(asking: Asking, record: RunRecord): ToolCall {
  return {
    ...callOf(asking, accountOf(record)),
    sees: ({ runId }) => runId === record.runId,
  };
}

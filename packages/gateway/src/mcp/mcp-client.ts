/*
 * One client that is remembered between its requests, in whatever way of its revision: what it is served by, and what it is told
 * of ends.
 */
import { type Clock, type Log, makeRoom, type Random } from '@clawdfather/kit';
import { createExitNotices, type ExitNotices } from '@clawdfather/tools/mcp';
import type { Caller } from '../http/caller.ts';
import type { Runs } from '../runs/open-runs.ts';
import {
  type ClientWays,
  createGuardedTools,
  type GuardedToolsDeps,
  sessionIdOf,
} from './guarded-tools.ts';
import { heardOfMax } from './limits.ts';

export interface McpClientDeps extends GuardedToolsDeps {
  readonly runs: Runs;
  readonly random: Random;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
}

export interface McpClient {
  readonly caller: Caller;
  /* With the request as the current one. */
  serve(request: Request, body: unknown): Promise<Response>;
  /* Hears of the end of this run. */
  follow(runId: string): void;
  /* Runs whose end it hears of, or heard. */
  readonly heardOf: ReadonlySet<string>;
  /* Ends its streams; touches no run. */
  close(): Promise<void>;
}

/* What both kinds of clients are made from. */
export interface ClientBase {
  readonly notices: ExitNotices;
  readonly heardOf: ReadonlySet<string>;
  readonly serverDeps: {
    readonly tools: ReturnType<typeof createGuardedTools>;
    readonly clock: Clock;
    readonly log: Log;
    readonly version: string;
    readonly account: string;
    readonly sessionId: string;
  };
  readonly follow: (runId: string) => void;
}

export interface ClientKind
  extends Pick<ClientWays, 'cancelsByLeaving'>,
    Pick<Parameters<typeof createExitNotices>[0], 'push' | 'onChange'> {}

/* Who waits for the ends, in the log. */
const requester = 'mcp:exit-notices';

export function createClientBase(
  deps: McpClientDeps,
  caller: Caller,
  { push, onChange, cancelsByLeaving }: ClientKind,
): ClientBase {
  const { runs, clock, log, version } = deps;
  const account = caller.accountId;
  const sessionId = sessionIdOf(caller);
  const heardOf = new Set<string>();
  const notices = createExitNotices({
    waitForEnd: (runId, signal) =>
      runs.agentTools.waitForEnd(runId, { signal, requester, account, sessionId }),
    push,
    onChange,
    log,
  });
  const remember = (runId: string): void => {
    makeRoom(heardOf, heardOfMax);
    heardOf.add(runId);
  };
  const follow = (runId: string): void => {
    remember(runId);
    notices.follow(runId);
  };
  const tools = createGuardedTools(deps, {
    cancelsByLeaving,
    // This answer did not arrive, so the next one reports the end of the run again.
    onRun: (runId, isLost) => (isLost ? follow(runId) : remember(runId)),
  });
  return {
    notices,
    heardOf,
    serverDeps: { tools, clock, log, version, account, sessionId },
    follow,
  };
}

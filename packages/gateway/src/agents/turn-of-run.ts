/*
 * The turn that a command belongs to, where the tools of an agent's run have asked for it. The run's labels name its thread; which turn
 * runs there is known here and not to the run, which serves many. What the caller says about itself only joins traces: a run of another
 * account is not looked at.
 */
import type { AccountId } from '@clawdfather/kit';
import { forRunHeader } from '@clawdfather/protocol';
import type { RunId, Supervisor } from '@clawdfather/supervisor';
import { accountLabel, threadLabel } from '@clawdfather/supervisor/origins';
import type { Threads } from '@clawdfather/threads';
import type { RequestFacts } from '../http/handlers.ts';
import type { TraceContext } from '../observe/trace-context.ts';
import { belowTurn, parseTurnTrace } from '../observe/turn-trace.ts';

export interface TurnOfRunDeps {
  readonly supervisor: Pick<Supervisor, 'get'>;
  readonly threads: Pick<Threads, 'runningTurn'>;
}

/* Undefined: of none, and the request's own trace goes on. */
export type TurnOfRun = (
  accountId: AccountId,
  call: Pick<RequestFacts, 'header'>,
) => TraceContext | undefined;

export function createTurnOfRun({ supervisor, threads }: TurnOfRunDeps): TurnOfRun {
  return (accountId, call) => {
    const named = call.header(forRunHeader);
    const labels = named === undefined ? undefined : supervisor.get(named as RunId)?.labels;
    const threadId = labels?.[threadLabel];
    if (threadId === undefined || labels?.[accountLabel] !== accountId) return undefined;
    const trace = parseTurnTrace(threads.runningTurn({ accountId, id: threadId })?.trace);
    return trace && belowTurn(trace);
  };
}

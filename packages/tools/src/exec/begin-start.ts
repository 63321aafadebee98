/*
 * A start that others can wait for, or give up: between the request and the registry's record a run has an id that a caller may
 * already ask about. One that fails then is known for a while, with the reason.
 */
import type { Starting, ToolsContext } from '../context.ts';
import { ToolsError } from '../errors.ts';
import { type StartOptions, type Started, startRun } from './start-run.ts';
import type { StoredRequest } from './stored-request.ts';

export function beginStart(
  context: ToolsContext,
  request: StoredRequest,
  options: StartOptions = {},
): Promise<Started> {
  const { runId, action, requester } = request;
  const { room } = context;
  const { account } = action;
  const unwanted = new AbortController();
  const signal = AbortSignal.any([context.signal, unwanted.signal]);
  const start = (): Promise<Started> => startRun(context, request, { ...options, signal });
  const started = room?.inTurn({ account, requester }, start) ?? start();
  let failure: Error | undefined;
  const done = started.then(
    () => undefined,
    /* Its caller is told. */
    (error: unknown) => {
      failure = error instanceof Error ? error : new Error(String(error));
      keepFailed(context, runId, starting);
    },
  );
  const starting: Starting = {
    account,
    requester,
    done,
    failure: () => failure,
    giveUp: () => unwanted.abort(givenUp(runId)),
  };
  context.starting.set(runId, starting);
  void done.then(() => context.starting.delete(runId));
  return started;
}

/* Under way, or one of the last that failed. */
export function startOf(
  { starting, failedStarts }: Pick<ToolsContext, 'starting' | 'failedStarts'>,
  runId: string,
): Starting | undefined {
  return starting.get(runId) ?? failedStarts.get(runId);
}

/* As many as can wait for a host. */
const failedMax = 1_000;

function keepFailed({ failedStarts }: ToolsContext, runId: string, failed: Starting): void {
  failedStarts.set(runId, failed);
  const [oldest] = failedStarts.keys();
  if (failedStarts.size > failedMax && oldest !== undefined) failedStarts.delete(oldest);
}

function givenUp(runId: string): ToolsError {
  return new ToolsError('run-ended', `run ${runId} was ended before it had started`, {
    detail: { runId },
    hint: 'Nothing was started.',
  });
}

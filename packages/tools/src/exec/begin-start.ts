/*
 * A start that others can wait for: between the request and the registry's record a run has an id that a caller may
 * already ask about.
 */
import type { ToolsContext } from '../context.ts';
import { type StartOptions, type Started, startRun } from './start-run.ts';
import type { StoredRequest } from './stored-request.ts';

export function beginStart(
  context: ToolsContext,
  request: StoredRequest,
  options: StartOptions = {},
): Promise<Started> {
  const { runId, action, requester } = request;
  const { room } = context;
  const start = (): Promise<Started> => startRun(context, request, options);
  const started = room?.inTurn({ account: action.account, requester }, start) ?? start();
  const done = started.then(
    () => undefined,
    () => undefined /* its caller is told */,
  );
  context.starting.set(runId, { account: action.account, done });
  void done.then(() => context.starting.delete(runId));
  return started;
}

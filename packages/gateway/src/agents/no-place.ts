/*
 * Why no agent was started for a turn, where a limit is the reason: the turn says which one, so that a client can show what holds the places.
 */
import { ThreadsError } from '@clawdfather/threads';
import { ToolsError } from '@clawdfather/tools';
import { ApiError } from '../http/api-error.ts';

const limit = 'session_limit_reached';

/* Everything else as it is. */
export function asNoPlace(error: unknown): unknown {
  const isHere = error instanceof ApiError && error.code === limit;
  // On a host: the session could not be opened, and the host was not even asked.
  const isOnHost = error instanceof ToolsError && error.detail['code'] === limit;
  if (!isHere && !isOnHost) return error;
  const { message, detail, hint } = error;
  return new ThreadsError('no-place', message, {
    detail: { ...detail, limit },
    ...(hint === undefined ? {} : { hint }),
    cause: error,
  });
}

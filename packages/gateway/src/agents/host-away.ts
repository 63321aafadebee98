/*
 * Why an agent could not be started on its host, for the threads: what may pass is tried again, everything else fails the turn at once.
 * A key that is refused or a host key that has changed does not pass: each try would count against us on the host.
 */
import { mayPass } from '@clawdfather/ssh';
import { ThreadsError } from '@clawdfather/threads';
import { ToolsError } from '@clawdfather/tools';

export function asHostAway(error: unknown): unknown {
  if (!(error instanceof ToolsError) || error.code !== 'host-unreachable') return error;
  const { message, detail, hint } = error;
  // The session that was reached a moment ago is not open any more.
  const cause = detail['code'] === 'expired' ? 'host-closed' : detail['cause'];
  if (typeof cause !== 'string' || !mayPass(cause)) return error;
  return new ThreadsError('host-away', message, {
    detail: { ...detail, cause },
    ...(hint === undefined ? {} : { hint }),
    cause: error,
  });
}

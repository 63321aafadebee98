/*
 * Signals and SSH hosts. ssh carries none to a command, so a signal is for the client that carries the command; these make it end
 * the command there. Any other one would do nothing, or stop the client alone, and is refused.
 */
import { makeVisible } from '@clawdfather/tools/text';
import { hostNameOf } from '@clawdfather/supervisor/origins';
import { type CliError, usageError } from '../errors.ts';
import type { Run } from '../place/place.ts';

export const signalsForHosts: ReadonlySet<NodeJS.Signals> = new Set([
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGKILL',
]);

export function notForHost(run: Pick<Run, 'labels'>, signal: NodeJS.Signals): CliError {
  const host = makeVisible(hostNameOf(run.labels));
  return usageError(
    `${signal} cannot be sent to ${host}: ssh carries no signals`,
    'INT, TERM, HUP and KILL end the command there.',
  );
}

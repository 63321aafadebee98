/*
 * What a session failed over, in the words of the log and the metrics.
 */
import type { EndedSession } from '@clawdfather/sessions';

/* Of a start that came as far as its agent. */
const ofAgents: readonly (string | undefined)[] = [
  'agent_spawn_failed',
  'unsupported',
  'forbidden',
];

export function errorTypeOf({
  cause,
  wasActive,
  errorCode,
}: Pick<EndedSession, 'cause' | 'wasActive' | 'errorCode'>) {
  if (cause !== 'failed' || wasActive) return 'runtime';
  return ofAgents.includes(errorCode) ? 'agent_spawn' : 'ssh_connect';
}

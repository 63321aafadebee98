/*
 * What an agent's process was lost with, from its lease: the code of its turn follows from it.
 *
 * Starts of a gateway are counted by its supervisor. A lease has the start that last saw the process alive; the one that finds it gone is
 * another only if the process was lost while no gateway looked, or with its machine. A gateway that was restarted and has taken the agent over
 * is the one that sees it from then on, so what becomes of the agent later is no matter of the restart. Only gateways of one instance hold
 * a run, so the numbers are comparable.
 */
import type { AgentRunRow } from '../rows.ts';
import type { AgentLoss } from '../turn/next-turn.ts';
import type { RunEnd } from './agent-run.ts';

/* A lease from before this was counted proves nothing: a restart is then what the process may have been lost in. */
export function lossOf(
  { seenBy }: Pick<AgentRunRow, 'seenBy'>,
  { foundBy, hostCause }: Pick<RunEnd, 'foundBy' | 'hostCause'>,
): AgentLoss {
  if (foundBy === undefined || seenBy !== foundBy) return 'restart';
  return hostCause === undefined ? 'agent' : 'host';
}

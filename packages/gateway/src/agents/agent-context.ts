/*
 * What an agent is told about where it works, in its environment: `CLAWDFATHER_CONTEXT`, and on a host also the prefix that it puts before
 * its commands.
 *
 * The agent of a session on a host runs here and works there. Its prefix is the one of an agent: through the tools, under the policy for
 * agents, unless a person has said that nothing is asked about on that host.
 */
import type { ThreadRow } from '@clawdfather/agents';
import type { AccountId } from '@clawdfather/kit';
import type { LetIn } from '@clawdfather/tools';
import type { AgentBinding } from '../hosts/agent-binding.ts';
import { ApiError } from '../http/api-error.ts';
import type { Runs } from '../runs/open-runs.ts';

export interface AgentContext {
  readonly environment: Readonly<Record<string, string>>;
  readonly letIn?: LetIn | undefined;
}

export interface AgentContextDeps {
  readonly runs: Pick<Runs, 'toolLaunch' | 'toolServers'>;
  readonly bindingOf: (
    accountId: AccountId,
    sessionId: string,
  ) => Promise<AgentBinding | undefined>;
}

export async function contextOf(
  { runs, bindingOf }: AgentContextDeps,
  { accountId, thread }: { readonly accountId: AccountId; readonly thread: ThreadRow },
  { sessionId, isInside }: { readonly sessionId: string; readonly isInside: boolean },
): Promise<AgentContext> {
  if (thread.viaConnectionId === undefined) return { environment: contextHere(sessionId) };
  const binding = await bindingOf(accountId, sessionId);
  if (binding === undefined) throw new ApiError('expired', 'the session on the host is over');
  const letIn = isInside ? await binding.letIn() : undefined;
  if (letIn !== undefined) return { environment: binding.environment(), letIn };
  // ssh itself would go past the policy for agents.
  if (runs.toolServers === undefined || runs.toolLaunch === undefined) {
    throw new ApiError(
      'unsupported',
      'an agent works on a host through our tools, which are off here',
    );
  }
  return { environment: binding.environment(runs.toolLaunch) };
}

/* The same payload without a host. */
function contextHere(sessionId: string): Readonly<Record<string, string>> {
  const context = {
    connection_id: null,
    host: null,
    port: null,
    username: null,
    keypair_id: null,
    session_lease_id: sessionId,
    control_path: null,
  };
  return { CLAWDFATHER_CONTEXT: JSON.stringify(context) };
}

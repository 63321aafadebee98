/*
 * The tools of agents in the hands of a person: the policy for people, our own environment, runs started directly.
 *
 * Their account is not that of agents. What a person runs is then nothing that an agent can list, read or type into.
 */
import type { Supervisor } from '@clawdfather/supervisor';
import { cliAccount, cliSession } from '@clawdfather/supervisor/origins';
import type { ToolCall, Tools } from '@clawdfather/tools';
import { reachBoundsOf } from '../approvals/reach-bounds.ts';
import type { CommandContext } from '../command.ts';
import { withSupervisor } from './with-supervisor.ts';

export interface PersonTools {
  readonly tools: Tools;
  readonly supervisor: Supervisor;
}

export async function withTools<Result>(
  context: CommandContext,
  use: (tools: PersonTools) => Promise<Result>,
): Promise<Result> {
  const { clock, random, config } = context;
  const { createAllowlist, createGatekeeper, createStarterReach, createTools, ownUserOnly } =
    await import('@clawdfather/tools');
  const { openApprovals } = await import('@clawdfather/supervisor');
  const { silentLog } = await import('@clawdfather/kit');
  const useTools = async (supervisor: Supervisor): Promise<Result> => {
    await using stack = new AsyncDisposableStack();
    const store = await openApprovals({ stateDir: config.stateDir, clock, random });
    stack.defer(() => store.close());
    const { values } = config;
    const gatekeeper = createGatekeeper({
      store,
      allowlist: createAllowlist(store, config.values['policy.allow']),
      reach: createStarterReach(reachBoundsOf(config)),
      clock,
      random,
      policy: { security: values['policy.cli.security'], ask: values['policy.cli.ask'] },
      // A person may decide what the same person asked for.
      requesterMarks: [],
    });
    const tools = createTools({
      supervisor,
      gatekeeper,
      clock,
      random,
      log: silentLog,
      users: ownUserOnly,
      baseEnvironment: config.commandEnv,
      homeDirectory: config.cwd,
      openFiles: config.openFiles,
      // What agents are waiting for is started by those who stay.
      takesUp: false,
    });
    stack.defer(() => tools.close());
    return await use({ tools, supervisor });
  };
  return withSupervisor(context, useTools, { whenUnwritable: 'refuse' });
}

export function personCall(
  { config }: CommandContext,
  call: Pick<ToolCall, 'signal' | 'onOutput'>,
): ToolCall {
  return {
    ...call,
    requester: `cli:${config.pid}`,
    account: cliAccount,
    sessionId: cliSession,
    directory: config.cwd,
  };
}

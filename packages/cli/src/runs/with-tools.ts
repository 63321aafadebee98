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
  const { openTools, ownUserOnly } = await import('@clawdfather/tools');
  const { silentLog } = await import('@clawdfather/kit');
  const { stateDir, values } = config;
  const useTools = async (supervisor: Supervisor): Promise<Result> => {
    await using opened = await openTools({
      supervisor,
      stateDir,
      clock,
      random,
      log: silentLog,
      allow: values['policy.allow'],
      reach: reachBoundsOf(config),
      policy: { security: values['policy.cli.security'], ask: values['policy.cli.ask'] },
      users: ownUserOnly,
      baseEnvironment: config.commandEnv,
      homeDirectory: config.cwd,
      openFiles: config.openFiles,
      // What agents are waiting for is started by those who stay.
      takesUp: false,
    });
    return await use({ tools: opened.tools, supervisor });
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

/*
 * The tools of agents in the hands of a person on this machine: the policy for people, our own environment, runs started directly.
 *
 * Their account is not that of agents. What a person runs is then nothing that an agent can list, read or type into.
 */
import { onAbort } from '@clawdfather/kit';
import type { Supervisor } from '@clawdfather/supervisor';
import { cliAccount, cliSession } from '@clawdfather/supervisor/origins';
import type { Tools } from '@clawdfather/tools';
import { reachBoundsOf } from '../approvals/reach-bounds.ts';
import type { CommandContext } from '../command.ts';
import { waitForTree } from '../runs/end-run.ts';
import { actorHere, personHere } from '../runs/who-asks.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
import { flagHere } from '../sign-in/find-gateway.ts';
import type { Executor } from './executor.ts';

export async function withExecutorHere<Result>(
  context: CommandContext,
  use: (executor: Executor) => Promise<Result>,
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
      heldIn: stateDir,
      openFiles: config.openFiles,
      // What agents are waiting for is started by those who stay.
      takesUp: false,
    });
    return await use(createExecutor(context, opened.tools, supervisor));
  };
  return withSupervisor(context, useTools, { whenUnwritable: 'refuse' });
}

function createExecutor(context: CommandContext, tools: Tools, supervisor: Supervisor): Executor {
  const { config } = context;
  const asked = {
    requester: personHere(),
    account: cliAccount,
    sessionId: cliSession,
    directory: config.cwd,
  };
  return {
    flag: flagHere(config),
    exec: (params, call) => tools.exec(params, { ...asked, ...call }),
    leave: () => void tools.close(),
    ended: (hurry) => waitForOwn(context, supervisor, hurry),
  };
}

async function waitForOwn(
  { clock, config }: CommandContext,
  supervisor: Supervisor,
  hurry: AbortSignal,
): Promise<void> {
  const own = supervisor
    .list({ ownerInstanceId: supervisor.instanceId, states: ['starting', 'running', 'exiting'] })
    .filter(({ ownerGeneration }) => ownerGeneration === supervisor.generation);
  for (const { runId } of own) {
    const managed = await supervisor.attach(runId);
    // Asking again with less time is heard.
    const end = (): void =>
      void managed.cancel('manual-cancel', actorHere(config.pid), 1).catch(() => {});
    const forget = onAbort(hurry, end);
    await waitForTree(managed, clock);
    forget();
  }
}

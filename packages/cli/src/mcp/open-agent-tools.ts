/*
 * The tools as an agent gets them: over an owner of runs that lives as long as the connection, behind the policy for
 * agents, with an environment from an allowlist.
 *
 * What earlier servers left is taken over at the start. Closing lets go of everything in the opposite order and ends no run.
 */
import { type Log, loginEnvironment } from '@clawdfather/kit';
import { createSupervisor, silentObserver } from '@clawdfather/supervisor';
import { openTools, ownUserOnly, type Tools } from '@clawdfather/tools';
import { reachBoundsOf } from '../approvals/reach-bounds.ts';
import { createShieldHere } from '../approvals/create-shield-here.ts';
import { toolServerLaunch } from '../approvals/tool-server-launch.ts';
import type { CommandContext } from '../command.ts';
import { createHostsThroughGateway } from './hosts-through-gateway.ts';
import { explainOpenFailure } from '../runs/open-failure.ts';

const treeAdvice = 'start clf mcp in a project directory, or with --workdir DIR';

export interface AgentTools extends AsyncDisposable {
  readonly tools: Tools;
  /* What earlier servers left: runs that go on and are ours now, and runs whose end nobody had heard before us. */
  readonly takenOver: readonly string[];
}

export interface AgentToolsDeps extends Pick<CommandContext, 'config' | 'clock' | 'random'> {
  readonly log: Log;
  readonly directory: string;
  readonly account: string;
}

export async function openAgentTools(deps: AgentToolsDeps): Promise<AgentTools> {
  const { config, clock, random, log } = deps;
  const { stateDir, values } = config;
  await using opening = new AsyncDisposableStack();
  const endedUnheard: string[] = [];
  let isOpening = true;
  const supervisor = await createSupervisor({
    stateDir,
    launcher: 'spawnd',
    adoption: 'adopt',
    umask: config.umask,
    clock,
    random,
    log,
    observer: {
      ...silentObserver,
      event: (event) => {
        if (isOpening && event.type === 'exit') endedUnheard.push(event.runId);
      },
    },
  }).catch(async (error: unknown) => {
    throw await explainOpenFailure(error, stateDir);
  });
  isOpening = false;
  opening.defer(() => supervisor.close());
  const { tools } = opening.use(
    await openTools({
      supervisor,
      stateDir,
      clock,
      random,
      log,
      allow: values['policy.allow'],
      reach: { ...reachBoundsOf(config), treeAdvice },
      policy: { security: values['policy.mcp.security'], ask: values['policy.mcp.ask'] },
      askingPid: config.pid,
      isBesideAgent: true,
      users: ownUserOnly,
      baseEnvironment: loginEnvironment(config.commandEnv),
      homeDirectory: deps.directory,
      heldIn: stateDir,
      openFiles: config.openFiles,
      shield: createShieldHere(config, clock),
      shieldsCommands: true,
      remoteHosts: createHostsThroughGateway({ config, launch: toolServerLaunch(config) }),
    }),
  );
  const opened = opening.move();
  const takenOver = [...tools.looksAfter(deps.account), ...endedUnheard];
  return { tools, takenOver, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/*
 * The agents of this machine, as a gateway with these settings would see them.
 */
import { loginEnvironment } from '@clawdfather/kit';
import type { Config } from '../config.ts';
import { agentsDirectory } from '../config/agents-directory.ts';
import { agentConfigsFrom } from './agent-configs.ts';
import { type AgentList, loadAgents } from './load-agents.ts';

export interface AgentsHere extends AgentList {
  readonly directory: string;
  /* That every agent starts with, before its own. */
  readonly environment: Readonly<Record<string, string>>;
}

/* `only`: the one that is to be started; keys of others are left in their files. */
export async function openAgentsHere(config: Config, only: string): Promise<AgentsHere> {
  const { createAgentList } = await loadAgents();
  const directory = agentsDirectory(config);
  const environment = loginEnvironment(config.commandEnv);
  const named = agentConfigsFrom(config, only);
  return { ...createAgentList({ named, directory, environment }), directory, environment };
}
